import { namesOf } from '@orch/machinery';
import type { Metrics } from '@orch/runtime';
import { authenticationAttempts, tokenCache } from './authentication-metrics.js';
import { observeSlowClients, observeWatchOutputs } from './client-metrics.js';
import { clientRequests, outgoingCuts, vanishedClients } from './connection-metrics.js';
import { requestDurations } from './request-durations.js';
import { RequestMetrics } from './request-metrics.js';

const NOTHING = { held: 0 };

/** Declares every metric of this package, for their reference; those of deliveries are declared by their observer. */
export function servingMetrics(metrics: Metrics): void {
  for (const declare of [authenticationAttempts, tokenCache, clientRequests, outgoingCuts, vanishedClients])
    declare(metrics);
  observeSlowClients(metrics, { bodies: NOTHING, answers: NOTHING, answerBytes: NOTHING });
  observeWatchOutputs(metrics, { waiting: () => ({ own: 0, shared: 0 }) });
  requestDurations(metrics, namesOf('orch'));
  new RequestMetrics(metrics);
}
