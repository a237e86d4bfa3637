import type { Metrics } from '@orch/runtime';
import type { CountReason } from './quota-controller.js';
import type { Verification } from './quota-verifier.js';

/** Counts what becomes of quotas beside requests. */
export function quotaMetrics(metrics: Metrics) {
  const counts = metrics.counter({
    name: 'orch_quota_counts_total',
    help: 'Counts of what quotas limit that were written: of new ones, and of those beside which servers of the release before have written.',
    labels: ['reason'] as const,
  });
  const verifications = metrics.counter({
    name: 'orch_quota_verifications_total',
    help: 'Quotas that were counted again to see whether what they tell is true; those that were mended were not, which is a defect.',
    labels: ['result'] as const,
  });
  return {
    counted: (reason: CountReason) => counts.with(reason).inc(),
    verified: (result: Verification['result']) => verifications.with(result).inc(),
  };
}
