import { Housekeeping, quotaCounter } from '@orch/maintenance';
import type { Component } from '@orch/runtime';
import { type ControllerName, runsController } from '../controller-options.js';
import type { ControlPlaneProcess } from './process.js';

/** What runs beside requests. */
interface Keeper {
  start(): void | Promise<void>;
  stop(): void | Promise<void>;
}

/** What only some processes look after. @param make undefined where this one does not */
function keeping(name: string, make: () => Keeper | undefined): Component {
  let keeper: Keeper | undefined;
  return {
    name,
    async start() {
      keeper = make();
      await keeper?.start();
    },
    async stop() {
      await keeper?.stop();
    },
  };
}

/** What is looked after for the whole installation, once all kinds are served. */
export const housekeeping = (process: ControlPlaneProcess): Component[] => {
  const keeps = process.settings.role.housekeeping;
  return [
    keeping('quota-counts', () => (keeps ? quotaCounts(process) : undefined)),
    keeping('housekeeping', () => (keeps ? housekeeper(process) : undefined)),
  ];
};

const runs = ({ settings }: ControlPlaneProcess, name: ControllerName): boolean =>
  runsController(settings.serving.controllers, name);

function quotaCounts(process: ControlPlaneProcess): Keeper | undefined {
  if (!runs(process, 'resourcequota')) return undefined;
  const { deps, store } = process.state;
  const { quotas: index, evaluators } = process.need('api');
  const verifyIntervalMs = process.settings.backend.quotaVerifyInterval;
  const catchUp = () => process.need('customResources').catchUp();
  return quotaCounter({ deps, index, evaluators, store, verifyIntervalMs, catchUp, ...process.telling });
}

function housekeeper(process: ControlPlaneProcess): Keeper {
  const { deps, store } = process.state;
  const { claims, allocators } = process.need('api');
  return new Housekeeping({
    ...{ deps, claims, allocators, store, ...process.telling },
    times: process.settings.backend,
  });
}
