import type { ApiDeps } from '@orch/handlers';
import type { Logger } from '@orch/runtime';
import type { Expirer, ServingStore } from '@orch/storage';

interface HousekeepingSettings {
  readonly deps: Pick<ApiDeps, 'served'>;
  readonly store: Pick<ServingStore, 'expirer'>;
  /** Milliseconds for which events are kept; 0 for good. */
  readonly eventTtl: number;
  readonly logger: Logger;
}

/** Periodic work on rows for the whole installation: expires Events. */
export class Housekeeping {
  readonly #expirer: Expirer | undefined;

  constructor(settings: HousekeepingSettings) {
    this.#expirer = expirerOf(settings);
  }

  /** Starts the periodic work. Returns at once. */
  start(): void {
    this.#expirer?.start();
  }

  /** Stops the periodic work and resolves once the work in progress has ended. */
  async stop(): Promise<void> {
    await this.#expirer?.stop();
  }
}

function expirerOf({ deps, store, eventTtl, logger }: HousekeepingSettings): Expirer | undefined {
  const events = deps.served.current.ofResource('', 'events');
  if (!events || eventTtl === 0) return undefined;
  const expirer = store.expirer(events.type, eventTtl);
  expirer.onFailure((error) => logger.error('expired events could not be deleted', error));
  return expirer;
}
