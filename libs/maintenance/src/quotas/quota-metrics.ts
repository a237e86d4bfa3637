import type { Metrics } from '@orch/runtime';
import type { CountReason } from './quota-controller.js';
import type { Verification } from './quota-verifier.js';

/** Counts what becomes of quotas beside requests. */
export function quotaMetrics(metrics: Metrics) {
  const counts = metrics.counter({
    name: 'orch_quota_counts_total',
    help: 'Number of written usage counts of quotas, by reason: a new quota, or a server of the previous release has written beside it.',
    labels: ['reason'] as const,
  });
  const verifications = metrics.counter({
    name: 'orch_quota_verifications_total',
    help: 'Number of quotas whose usage was counted again, by result; one that was corrected (mended) was wrong, which is a defect.',
    labels: ['result'] as const,
  });
  return {
    counted: (reason: CountReason) => counts.with(reason).inc(),
    verified: (result: Verification['result']) => verifications.with(result).inc(),
  };
}
