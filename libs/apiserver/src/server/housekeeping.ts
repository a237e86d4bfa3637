import { hostname } from 'node:os';
import type { Logger, Metrics } from '@orch/runtime';
import type { Expirer, ServingStore } from '@orch/storage';
import { ClaimCheck } from '../allocation/claim-check.js';
import { ClaimEvents } from '../allocation/claim-events.js';
import type { ClaimFinding } from '../allocation/claim-finding.js';
import { ClaimRepair } from '../allocation/claim-repair.js';
import { ClaimTeller } from '../allocation/claim-teller.js';
import { claimFindings } from '../metrics/claim-findings.js';
import type { Api } from './assemble.js';
import type { BackendOptions } from './options.js';

export interface HousekeepingSettings {
  readonly api: Api;
  readonly store: ServingStore;
  /** Whether namespaces on their way out are emptied here. */
  readonly terminates: boolean;
  readonly backend: BackendOptions;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * What is done for the installation as a whole, whoever asks for it: namespaces on their way out, events that expire,
 * addresses and node ports that were claimed for nothing.
 */
export class Housekeeping {
  readonly #terminator: Api['terminator'] | undefined;
  readonly #expirer: Expirer | undefined;
  readonly #teller: ClaimTeller;
  readonly #claims: ClaimRepair | undefined;

  constructor(settings: HousekeepingSettings) {
    this.#terminator = settings.terminates ? settings.api.terminator : undefined;
    this.#expirer = expirerOf(settings);
    this.#teller = claimTellerOf(settings);
    this.#claims = claimRepairOf(settings, this.#teller);
  }

  start(): void {
    this.#terminator?.start();
    this.#expirer?.start();
    this.#claims?.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#terminator?.stop(), this.#expirer?.stop(), this.#claims?.stop()]);
    await this.#teller.stop();
  }
}

function expirerOf({ api, store, backend, logger }: HousekeepingSettings): Expirer | undefined {
  const events = api.served.current.ofResource('', 'events');
  if (!events || backend.eventTtl === 0) return undefined;
  const expirer = store.expirer(events.type, backend.eventTtl);
  expirer.onFailure((error) => logger.error('expiry of events', error));
  return expirer;
}

function claimRepairOf(settings: HousekeepingSettings, teller: ClaimTeller): ClaimRepair | undefined {
  const { api, store, backend, logger } = settings;
  const services = api.served.current.ofResource('', 'services');
  if (!services || backend.unusedClaimAge === 0) return undefined;
  // A write is decided by then, also one whose request was given up.
  const safeMs = Math.max(backend.unusedClaimAge, 2 * api.deps.limits.requestTimeoutMs);
  const { claims, allocators } = api;
  const now = () => performance.now();
  const onFinding = (finding: ClaimFinding) => teller.tell(finding);
  return new ClaimRepair({
    check: new ClaimCheck({ store, services, claims, allocators, safeMs, now, logger, onFinding }),
    lease: (duration) => store.lease('allocation-claims', duration),
    intervalMs: safeMs / 2,
    logger,
  });
}

/** Counts what is found, and writes Events where they are served. */
function claimTellerOf({ api, logger, metrics }: HousekeepingSettings): ClaimTeller {
  const endpoint = api.served.current.ofResource('', 'events');
  const { allocators } = api;
  const { pipeline, now } = api.deps;
  const events = endpoint && new ClaimEvents({ pipeline, events: endpoint, allocators, instance: hostname(), now });
  return new ClaimTeller({ events, count: claimFindings(metrics), logger });
}
