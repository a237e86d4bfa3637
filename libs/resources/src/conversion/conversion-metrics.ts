import type { Metrics } from '@orch/runtime';
import type { ObservedConversion } from './conversion-webhook.js';

/** Buckets from a millisecond, each twice the previous one, as in the reference. */
const BUCKETS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

/** Counts and times the calls of webhooks that convert custom resources, under the metric names of the reference. */
export function conversionMetrics(metrics: Metrics): (conversion: ObservedConversion) => void {
  const duration = metrics.histogram({
    name: 'apiserver_crd_webhook_conversion_duration_seconds',
    help: 'Time that webhooks took to convert custom resources.',
    labels: ['crd_name', 'from_version', 'to_version', 'succeeded'] as const,
    buckets: BUCKETS,
  });
  return ({ definition, from, to, succeeded, took }) =>
    duration.with(definition, from, to, String(succeeded)).observe(took / 1000);
}
