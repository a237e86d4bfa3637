import type { Metrics } from '@orch/runtime';

/** Counters of logs, as of how agents are verified. */
export interface LogMetrics {
  /** A log is wanted of an agent whose certificate is to be verified, or need not be. */
  wanted(isVerified: boolean): void;
  /** An agent had a certificate that could not be verified. */
  unverified(): void;
}

const HELP_OF_USE =
  'Number of logs of pods that agents were asked for, by usage: enforce_tls, or skip_tls_allowed where the client did not want the certificate of the agent to be verified.';
const HELP_OF_FAILURES = 'Number of logs of pods that failed as the certificate of the agent could not be verified.';
const USAGE = ['usage'] as const;

/** Makes the counters of logs, under the names of release 1.27 and those that it has deprecated. */
export function logMetrics(metrics: Metrics): LogMetrics {
  const prefix = 'kube_apiserver_pod_logs';
  const deprecated = '1.27.0';
  const uses = [
    metrics.counter({ name: `${prefix}_insecure_backend_total`, help: HELP_OF_USE, labels: USAGE }),
    metrics.counter({
      ...{ name: `${prefix}_pods_logs_insecure_backend_total`, help: HELP_OF_USE, labels: USAGE, deprecated },
    }),
  ];
  const failures = [
    metrics.counter({ name: `${prefix}_backend_tls_failure_total`, help: HELP_OF_FAILURES, labels: [] as const }),
    metrics.counter({
      ...{ name: `${prefix}_pods_logs_backend_tls_failure_total`, help: HELP_OF_FAILURES, labels: [] as const },
      deprecated,
    }),
  ].map((each) => each.with());
  return {
    wanted(isVerified) {
      for (const each of uses) each.with(isVerified ? 'enforce_tls' : 'skip_tls_allowed').inc();
    },
    unverified() {
      for (const each of failures) each.inc();
    },
  };
}
