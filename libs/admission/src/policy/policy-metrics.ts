import type { Metrics } from '@orch/runtime';

/** Outcome of a validation, as metrics call it. */
type Enforcement = 'allow' | 'deny' | 'audit' | 'warn';

/** Counts policies and the outcomes of their validations. */
export interface PolicyObserver {
  /** Counts a new policy. */
  defined(): void;
  /** Counts a validation that does not hold, or that failed and was ignored. */
  enforced(policy: string, binding: string, action: Enforcement, milliseconds: number): void;
}

/** Bounds of the histogram in seconds, as in the reference. */
const BUCKETS = [0.0000005, 0.001, 0.01, 0.1, 1];
const ACTIVE = 'active';

/** Returns an observer whose metrics have the names of the reference (k8s.io/apiserver, pkg/admission/cel). */
export function policyMetrics(metrics: Metrics): PolicyObserver {
  const labels = ['policy', 'policy_binding', 'enforcement_action', 'state'] as const;
  const checks = metrics.counter({
    name: 'apiserver_validating_admission_policy_check_total',
    help: 'Number of validations of admission policies that did not hold or failed, by the enforced action.',
    labels,
  });
  const definitions = metrics.counter({
    name: 'apiserver_validating_admission_policy_definition_total',
    help: 'Number of admission policies that this process has loaded.',
    labels: ['state', 'enforcement_action'] as const,
  });
  const durations = metrics.histogram({
    name: 'apiserver_validating_admission_policy_check_duration_seconds',
    help: 'Time of evaluations of admission policies whose validation did not hold or failed.',
    labels,
    buckets: BUCKETS,
  });
  return {
    defined: () => definitions.with(ACTIVE, 'deny').inc(),
    enforced: (policy, binding, action, milliseconds) => {
      checks.with(policy, binding, action, ACTIVE).inc();
      durations.with(policy, binding, action, ACTIVE).observe(milliseconds / 1000);
    },
  };
}
