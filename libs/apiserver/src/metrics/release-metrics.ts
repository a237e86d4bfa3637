import { podSecurityMetrics, policyMetrics } from '@orch/admission';
import { namesOf } from '@orch/machinery';
import { type MetricDescription, silentLogger } from '@orch/runtime';
import { admissionMetrics } from '../admission-host/admission-metrics.js';
import { observeWebhooks, webhookMetrics } from '../admission-host/webhook-metrics.js';
import { observeRegistrations } from '../aggregation/aggregation-metrics.js';
import { serviceAccountTokenUses } from '../credentials/service-account-metrics.js';
import { migrationCounter } from '../custom-resources/migration-counter.js';
import { healthSeries } from '../discovery/health-metrics.js';
import { flowMetrics } from '../fairness/flow-metrics.js';
import { claimFindings } from '../maintenance/addresses/claim-findings.js';
import { quotaMetrics } from '../maintenance/quotas/quota-metrics.js';
import { conversionMetrics } from '../resources/conversion/conversion-metrics.js';
import { refusedObjects } from '../resources/conversion/refused-objects.js';
import { VERSION } from '../server/version.js';
import { authenticationAttempts, tokenCache } from '../serving/metrics/authentication-metrics.js';
import { requestDurations } from '../serving/metrics/request-durations.js';
import { RequestMetrics } from '../serving/metrics/request-metrics.js';
import { auditMetrics } from './audit-metrics.js';
import { compactionMetrics } from './compaction-metrics.js';
import { embeddedPostgresObserver } from './embedded-postgres-metrics.js';
import { encryptionMetrics, leftOutObjects } from './encryption-metrics.js';
import { ErrorCounts } from './error-counts.js';
import { featureMetric } from './feature-metric.js';
import { Observation } from './observation.js';
import { observeRedis } from './outside-metrics.js';
import {
  observeDatabaseLists,
  observeListCache,
  observeSlowClients,
  observeWatchCache,
  observeWatchOutputs,
} from './server-observers.js';
import { observeLeases, observePools } from './store-observer.js';

const NOTHING = { held: 0 };

/** Every metric of a process of this release, those of `/metrics/slis` and hidden ones too, in the order of their names. */
export async function releaseMetrics(): Promise<MetricDescription[]> {
  const observation = await Observation.open({
    serviceName: 'orch',
    version: VERSION,
    tracingConfigFile: undefined,
    showHiddenMetrics: true,
    logger: silentLogger,
  });
  const { metrics, names } = observation;
  // What would be looked at is not there, and nobody asks for values.
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
  authenticationAttempts(metrics);
  tokenCache(metrics);
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
  new RequestMetrics(metrics);
  return metrics.describe();
}
