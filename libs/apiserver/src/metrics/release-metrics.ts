import { podSecurityMetrics, policyMetrics } from '@orch/admission';
import { admissionMetrics, observeWebhooks, webhookMetrics } from '@orch/admission-host';
import { observeRegistrations } from '@orch/aggregation';
import { auditMetrics } from '@orch/audit';
import { logMetrics } from '@orch/connections';
import { workQueueMetrics } from '@orch/controllers';
import { clientCertificates, serviceAccountTokenUses } from '@orch/credentials';
import { migrationCounter } from '@orch/custom-resources';
import { healthSeries } from '@orch/discovery';
import { encryptionMetrics, leftOutObjects } from '@orch/encryption';
import { flowMetrics } from '@orch/fairness';
import { claimFindings, quotaMetrics } from '@orch/maintenance';
import { readingMetrics } from '@orch/reading';
import { resourceMetrics } from '@orch/resources';
import { type MetricDescription, type Metrics, silentLogger } from '@orch/runtime';
import { servingMetrics } from '@orch/serving';
import { watchCacheMetrics } from '@orch/watchcache';
import { VERSION } from '../server/version.js';
import { compactionMetrics } from './compaction-metrics.js';
import { embeddedPostgresObserver } from './embedded-postgres-metrics.js';
import { ErrorCounts } from './error-counts.js';
import { featureMetric } from './feature-metric.js';
import { Observation } from './observation.js';
import { observeRedis } from './outside-metrics.js';
import { observeLeases, observePools } from './store-observer.js';

/** Declarations of the metrics of each package, and of those of a process. */
const DECLARATIONS: readonly ((metrics: Metrics) => unknown)[] = [
  ...[admissionMetrics, podSecurityMetrics, policyMetrics, webhookMetrics],
  (metrics) => observeWebhooks(metrics, () => []),
  (metrics) => observeRegistrations(metrics, () => []),
  auditMetrics,
  ...[claimFindings, quotaMetrics],
  ...[clientCertificates, serviceAccountTokenUses],
  ...[encryptionMetrics, leftOutObjects],
  flowMetrics,
  healthSeries,
  logMetrics,
  migrationCounter,
  readingMetrics,
  resourceMetrics,
  servingMetrics,
  watchCacheMetrics,
  workQueueMetrics,
  compactionMetrics,
  (metrics) => embeddedPostgresObserver(metrics, silentLogger),
  (metrics) => featureMetric(metrics, {}, { enabled: () => false }),
  (metrics) => new ErrorCounts().observe(metrics),
  (metrics) => observeLeases(metrics, { leases: () => [] }),
  (metrics) => observePools(metrics, { pools: () => [] }),
  (metrics) => observeRedis(metrics, { verdicts: undefined, rates: undefined }),
];

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
  // The observed objects do not exist here; only the descriptions of the metrics are read, not their values.
  observation.watchFeed({ lag: () => 0 }, { healthy: () => false });
  for (const declare of DECLARATIONS) declare(observation.metrics);
  return observation.metrics.describe();
}
