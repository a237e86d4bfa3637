import type { Logger } from '@orch/runtime';
import type { Expirer, ServingStore } from '@orch/storage';
import { ClaimCheck } from '../allocation/claim-check.js';
import { ClaimRepair } from '../allocation/claim-repair.js';
import type { Api } from './assemble.js';
import type { BackendOptions } from './options.js';

export interface HousekeepingSettings {
  readonly api: Api;
  readonly store: ServingStore;
  readonly backend: BackendOptions;
  readonly logger: Logger;
}

/**
 * What is done for the installation as a whole, whoever asks for it: namespaces on their way out, events that expire,
 * addresses and node ports that were claimed for nothing.
 */
export class Housekeeping {
  readonly #terminator: Api['terminator'];
  readonly #expirer: Expirer | undefined;
  readonly #claims: ClaimRepair | undefined;

  constructor(settings: HousekeepingSettings) {
    this.#terminator = settings.api.terminator;
    this.#expirer = expirerOf(settings);
    this.#claims = claimRepairOf(settings);
  }

  start(): void {
    this.#terminator.start();
    this.#expirer?.start();
    this.#claims?.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#terminator.stop(), this.#expirer?.stop(), this.#claims?.stop()]);
  }
}

function expirerOf({ api, store, backend, logger }: HousekeepingSettings): Expirer | undefined {
  const events = api.served.current.ofResource('', 'events');
  if (!events || backend.eventTtl === 0) return undefined;
  const expirer = store.expirer(events.type, backend.eventTtl);
  expirer.onFailure((error) => logger.error('expiry of events', error));
  return expirer;
}

function claimRepairOf({ api, store, backend, logger }: HousekeepingSettings): ClaimRepair | undefined {
  const services = api.served.current.ofResource('', 'services');
  if (!services || backend.unusedClaimAge === 0) return undefined;
  // A write is decided by then, also one whose request was given up.
  const safeMs = Math.max(backend.unusedClaimAge, 2 * api.deps.limits.requestTimeoutMs);
  return new ClaimRepair({
    check: new ClaimCheck({ store, services, claims: api.claims, safeMs, now: () => performance.now(), logger }),
    lease: (duration) => store.lease('allocation-claims', duration),
    intervalMs: safeMs / 2,
    logger,
  });
}
