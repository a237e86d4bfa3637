import { hostname } from 'node:os';
import type { ApiDeps } from '@orch/handlers';
import type { Allocators } from '@orch/kinds';
import type { Logger, Metrics } from '@orch/runtime';
import type { Expirer, ServingStore } from '@orch/storage';
import type { AllocationClaims } from '@orch/writing';
import { ClaimCheck } from './claim-check.js';
import { ClaimEvents } from './claim-events.js';
import type { ClaimFinding } from './claim-finding.js';
import { claimFindings } from './claim-findings.js';
import { ClaimRepair } from './claim-repair.js';
import { ClaimTeller } from './claim-teller.js';

interface HousekeepingSettings {
  readonly deps: ApiDeps;
  readonly claims: AllocationClaims;
  /** Allocators of the configured cluster IP and node port ranges. */
  readonly allocators: Allocators;
  readonly store: ServingStore;
  /** How long events are kept, and claims without a Service; milliseconds, 0 for good. */
  readonly times: { readonly eventTtl: number; readonly unusedClaimAge: number };
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Periodic work for the whole installation: expires Events, and releases cluster IPs and node ports that are claimed but
 * unused.
 */
export class Housekeeping {
  readonly #expirer: Expirer | undefined;
  readonly #teller: ClaimTeller;
  readonly #claims: ClaimRepair | undefined;

  constructor(settings: HousekeepingSettings) {
    this.#expirer = expirerOf(settings);
    this.#teller = claimTellerOf(settings);
    this.#claims = claimRepairOf(settings, this.#teller);
  }

  /** Starts the periodic work. Returns at once. */
  start(): void {
    this.#expirer?.start();
    this.#claims?.start();
  }

  /** Stops the periodic work and resolves once what is under way has ended. */
  async stop(): Promise<void> {
    await Promise.all([this.#expirer?.stop(), this.#claims?.stop()]);
    await this.#teller.stop();
  }
}

function expirerOf({ deps, store, times, logger }: HousekeepingSettings): Expirer | undefined {
  const events = deps.served.current.ofResource('', 'events');
  if (!events || times.eventTtl === 0) return undefined;
  const expirer = store.expirer(events.type, times.eventTtl);
  expirer.onFailure((error) => logger.error('expiry of events', error));
  return expirer;
}

function claimRepairOf(settings: HousekeepingSettings, teller: ClaimTeller): ClaimRepair | undefined {
  const { deps, store, times, claims, allocators, logger } = settings;
  const services = deps.served.current.ofResource('', 'services');
  if (!services || times.unusedClaimAge === 0) return undefined;
  // A write is decided by then, also one whose request was given up.
  const safeMs = Math.max(times.unusedClaimAge, 2 * deps.limits.requestTimeoutMs);
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
function claimTellerOf({ deps, allocators, logger, metrics }: HousekeepingSettings): ClaimTeller {
  const endpoint = deps.served.current.ofResource('', 'events');
  const { pipeline, now } = deps;
  const events = endpoint && new ClaimEvents({ pipeline, events: endpoint, allocators, instance: hostname(), now });
  return new ClaimTeller({ events, count: claimFindings(metrics), logger });
}
