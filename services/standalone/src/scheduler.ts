import type { ServedApi } from '@orch/apiserver';
import { type NamingProfile, namesOf } from '@orch/machinery';
import type { Component, OptionValues } from '@orch/runtime';
import type { SchedulingComponent } from '@orch/scheduler-process';
import { connectionOf } from './connection.js';

/** Options of the scheduler in this process. */
export const schedulerOptions = {
  scheduler: {
    type: 'string',
    choices: ['auto', 'on', 'off'],
    default: 'auto',
    help: 'Whether this process chooses nodes for pods; auto: where --node-runtime runs pods.',
  },
  'scheduler-config': {
    type: 'string',
    help: 'File with a KubeSchedulerConfiguration for the scheduler in this process. Its clientConnection.kubeconfig has no effect.',
  },
} as const;

/** Settings of the scheduler of this process. */
interface SchedulerSettings extends OptionValues<typeof schedulerOptions> {
  /** See `--node-runtime`, which decides where `--scheduler` is not given. */
  readonly nodeRuntime: string;
  /** Naming profile of the API. */
  readonly naming: NamingProfile;
  /** Folder of certificates and keys of the process. */
  readonly certDir: string;
}

/** Pods that are bound at a time, as `orch scheduler` has it by default. */
const MAX_BINDINGS = 32;
/** Identity of the scheduler towards the API, in this process as in one of its own. */
const USER = { name: 'system:kube-scheduler', groups: [] };

/**
 * Reads the configuration of the scheduler of this process, and returns what makes it beside the API; it makes nothing where pods are left
 * to others. The scheduler competes for the Lease of all schedulers, so one that runs elsewhere and this one never bind at the same time.
 * @throws Error for a configuration that cannot be read or used
 */
export async function schedulerOf(settings: SchedulerSettings): Promise<(api: ServedApi) => Component[]> {
  const { scheduler: wanted, nodeRuntime, schedulerConfig: file, naming, certDir } = settings;
  if (wanted === 'off' || (wanted === 'auto' && nodeRuntime === 'none')) return () => [];
  // A process that schedules nothing does not load it.
  const { configurationOf, maxVolumesOf, schedulingComponent } = await import('@orch/scheduler-process');
  const names = namesOf(naming);
  const { configuration, warnings: read } = await configurationOf({ file, names });
  const { warning, ...limit } = maxVolumesOf(process.env);
  const warnings = warning === undefined ? read : [...read, warning];
  const connect = async (api: ServedApi): Promise<Connected> => {
    for (const each of warnings) api.logger.warn(each);
    const { connection, stop } = await connectionOf(USER, certDir, api);
    const shared = { maxBindings: MAX_BINDINGS, metrics: api.metrics(), logger: api.logger };
    return { scheduling: schedulingComponent({ ...shared, ...limit, configuration, connection, names }), stop };
  };
  return (api) => [componentOf(api, () => connect(api))];
}

/** A scheduler, and what ends the renewal of its certificate. */
interface Connected {
  readonly scheduling: SchedulingComponent;
  stop(): Promise<void>;
}

function componentOf(api: ServedApi, connect: () => Promise<Connected>): Component {
  let connected: Connected | undefined;
  const start = async () => {
    connected = await connect();
    // The API is there for others already, who may have to give the scheduler its rights.
    void connected.scheduling.start().catch((error: unknown) => api.logger.error('the scheduler', error));
  };
  const stop = async (deadline: AbortSignal) => {
    await connected?.stop();
    await connected?.scheduling.stop(deadline);
  };
  return { name: 'scheduler', start, stop };
}
