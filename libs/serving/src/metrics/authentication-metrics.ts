import type { CounterSeries, Metrics } from '@orch/runtime';
import type { VerdictObserver } from '@orch/webhooks';

/** Buckets from a millisecond, each twice the previous one, as in the reference. */
const BUCKETS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
/** Default buckets of Prometheus client libraries, seconds. */
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Result of an attempt: `failure` without credentials that are required, `error` with invalid ones. */
type AttemptResult = 'success' | 'failure' | 'error';

/**
 * Called for each attempt to authenticate a caller. `username` is undefined when that failed; `took` in milliseconds.
 */
export type AttemptObserver = (result: AttemptResult, took: number, username?: string) => void;

/** Counts attempts to authenticate, under the names of the reference (pkg/endpoints/filters/metrics.go of k8s.io/apiserver). */
export function authenticationAttempts(metrics: Metrics): AttemptObserver {
  const users = metrics.counter({
    name: 'authenticated_user_requests',
    help: 'Number of authenticated requests, by kind of user name.',
    labels: ['username'] as const,
  });
  const attempts = metrics.counter({
    name: 'authentication_attempts',
    help: 'Number of attempts to authenticate, by result.',
    labels: ['result'] as const,
  });
  const duration = metrics.histogram({
    name: 'authentication_duration_seconds',
    help: 'Duration of authentication, by result.',
    labels: ['result'] as const,
    buckets: BUCKETS,
  });
  const of = (result: AttemptResult) => ({ count: attempts.with(result), time: duration.with(result) });
  const series = { success: of('success'), failure: of('failure'), error: of('error') };
  const byKind = new Map<string, CounterSeries>();
  return (result, took, username) => {
    series[result].count.inc();
    series[result].time.observe(took / 1000);
    if (username === undefined) return;
    const kind = kindOf(username);
    const known = byKind.get(kind) ?? users.with(kind);
    byKind.set(kind, known);
    known.inc();
  };
}

const KNOWN = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']);

/** Returns a bounded label: a few kinds of users, and no personal name. */
function kindOf(username: string): string {
  if (KNOWN.has(username)) return username;
  return username.includes('@') ? 'email_id' : 'other';
}

/** Observes the cache of a webhook's token reviews, under the metric names of the reference. */
export function tokenCache(metrics: Metrics): VerdictObserver {
  const labels = ['status'] as const;
  const family = (name: string, help: string) => ({ name: `authentication_token_cache_${name}`, help, labels });
  const active = metrics.gauge(
    family('active_fetch_count', 'Token reviews under way (in_flight), and requests that wait for them (blocked).'),
  );
  const fetches = metrics.counter(family('fetch_total', 'Number of token reviews.'));
  const requests = metrics.counter(family('request_total', 'Number of requests with tokens, by cache result.'));
  const latency = metrics.histogram({
    ...family('request_duration_seconds', 'Time to authenticate a token through the cache.'),
    buckets: DEFAULT_BUCKETS,
  });
  const during = (status: string) => {
    active.with(status).add(1);
    return () => active.with(status).add(-1);
  };
  return {
    asked() {
      const start = performance.now();
      return (hit) => {
        const status = hit ? 'hit' : 'miss';
        requests.with(status).inc();
        latency.with(status).observe((performance.now() - start) / 1000);
      };
    },
    waits: () => during('blocked'),
    finding() {
      const over = during('in_flight');
      return (found) => {
        over();
        fetches.with(found ? 'ok' : 'error').inc();
      };
    },
  };
}
