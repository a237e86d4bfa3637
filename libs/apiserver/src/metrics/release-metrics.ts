import { podSecurityMetrics, policyMetrics } from '@orch/admission';
import { admissionMetrics, observeWebhooks, webhookMetrics } from '@orch/admission-host';
import { observeRegistrations } from '@orch/aggregation';
import { auditMetrics } from '@orch/audit';
import { workQueueMetrics } from '@orch/controllers';
import { serviceAccountTokenUses } from '@orch/credentials';
import { migrationCounter } from '@orch/custom-resources';
import { healthSeries } from '@orch/discovery';
import { encryptionMetrics, leftOutObjects } from '@orch/encryption';
import { flowMetrics } from '@orch/fairness';
import { namesOf } from '@orch/machinery';
import { claimFindings, quotaMetrics } from '@orch/maintenance';
import { observeDatabaseLists } from '@orch/reading';
import { conversionMetrics, observeListCache, refusedObjects } from '@orch/resources';
import { type MetricDescription, silentLogger } from '@orch/runtime';
import {
  authenticationAttempts,
  observeSlowClients,
  observeWatchOutputs,
  RequestMetrics,
  requestDurations,
  tokenCache,
} from '@orch/serving';
import { observeWatchCache } from '@orch/watchcache';
import { VERSION } from '../server/version.js';
import { compactionMetrics } from './compaction-metrics.js';
import { embeddedPostgresObserver } from './embedded-postgres-metrics.js';
import { ErrorCounts } from './error-counts.js';
import { featureMetric } from './feature-metric.js';
import { Observation } from './observation.js';
import { observeRedis } from './outside-metrics.js';
import { observeLeases, observePools } from './store-observer.js';

const NOTHING = { held: 0 };

/**
 * Every metric of a process of this release, those of `/metrics/slis` and hidden ones too, in the order of their names.
 */
export async function releaseMetrics(): Promise<MetricDescription[]> {
  const observation = await Observation.open({
    serviceName: 'orch',
    version: VERSION,
    tracingConfigFile: undefined,
    showHiddenMetrics: true,
    logger: silentLogger,
  });
  const { metrics, names } = observation;
  // The observed objects do not exist here; only the descriptions of the metrics are read, not their values.
  observation.watchFeed({ lag: () => 0 }, { healthy: () => false });
  observePools(metrics, { pools: () => [] });
  observeLeases(metrics, { leases: () => [] });
  observeRedis(metrics, { verdicts: undefined, rates: undefined });
  new ErrorCounts().observe(metrics);
  observeWatchCache(metrics, { types: () => [].values() }, names);
  observeWatchOutputs(metrics, { waiting: () => ({ own: 0, shared: 0 }) });
  observeDatabaseLists(metrics, { gate: { stats: () => ({ reading: 0, waiting: 0 }) }, memory: NOTHING });
  observeSlowClients(metrics, { bodies: NOTHING, answers: NOTHING, answerBytes: NOTHING });
  observeListCache(metrics, { stats: () => ({ bytes: 0, hits: 0, misses: 0 }) });
  for (const declare of [authenticationAttempts, tokenCache]) declare(metrics);
  admissionMetrics(metrics);
  podSecurityMetrics(metrics);
  policyMetrics(metrics);
  auditMetrics(metrics);
  claimFindings(metrics);
  compactionMetrics(metrics);
  conversionMetrics(metrics);
  embeddedPostgresObserver(metrics, silentLogger);
  encryptionMetrics(metrics);
  featureMetric(metrics, {}, { enabled: () => false });
  leftOutObjects(metrics);
  refusedObjects(metrics, () => undefined);
  quotaMetrics(metrics);
  flowMetrics(metrics);
  observeRegistrations(metrics, () => []);
  migrationCounter(metrics);
  requestDurations(metrics, namesOf('orch'));
  serviceAccountTokenUses(metrics);
  webhookMetrics(metrics);
  observeWebhooks(metrics, () => []);
  healthSeries(metrics);
  workQueueMetrics(metrics);
  new RequestMetrics(metrics);
  return metrics.describe();
}
