import { hostname } from 'node:os';
import type { ControllerGroup } from '@orch/controllers';
import type { ApiDeps } from '@orch/handlers';
import type { Allocators } from '@orch/kinds';
import { type Logger, type Metrics, systemClock } from '@orch/runtime';
import type { Store } from '@orch/storage';
import type { AllocationClaims, OwnRun } from '@orch/writing';
import { ClaimCheck } from './claim-check.js';
import { ClaimEventRecorder } from './claim-event-recorder.js';
import { ClaimEventSink } from './claim-event-sink.js';
import type { ClaimFinding } from './claim-finding.js';
import { claimFindings } from './claim-findings.js';
import { claimRepair } from './claim-repair.js';

interface ClaimSettings {
  readonly deps: ApiDeps;
  readonly claims: AllocationClaims;
  /** Allocators of the configured cluster IP and node port ranges. */
  readonly allocators: Allocators;
  readonly store: Store;
  /** Milliseconds for which claims without a Service are kept; 0 for good. */
  readonly unusedClaimAge: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Controller that releases cluster IPs and node ports which are claimed but unused; none where that is switched off.
 */
export function claimController(settings: ClaimSettings): ControllerGroup {
  const { deps, store, unusedClaimAge, claims, allocators, logger } = settings;
  const recorder = claimRecorderOf(settings);
  const stop = () => recorder.stop();
  const services = deps.served.current.ofResource('', 'services');
  if (!services || unusedClaimAge === 0) return { controllers: [], stop };
  // A write is decided by then, also one whose request was given up.
  const safeMs = Math.max(unusedClaimAge, 2 * deps.limits.requestTimeoutMs);
  const now = () => systemClock.now();
  const onFinding = (finding: ClaimFinding, run: OwnRun) => recorder.record(finding, run);
  const check = new ClaimCheck({ store, services, claims, allocators, safeMs, now, logger, onFinding });
  return { controllers: [claimRepair({ check, intervalMs: safeMs / 2 })], stop };
}

/** Returns a receiver that counts findings, and writes Events if these are served. */
function claimRecorderOf({ deps, allocators, logger, metrics }: ClaimSettings): ClaimEventRecorder {
  const endpoint = deps.served.current.ofResource('', 'events');
  const { pipeline, now } = deps;
  const events = endpoint && new ClaimEventSink({ pipeline, events: endpoint, allocators, instance: hostname(), now });
  return new ClaimEventRecorder({ events, count: claimFindings(metrics), logger });
}
