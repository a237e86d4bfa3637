import type { WebhookObserver, WebhookState } from '@orch/admission';
import type { Metrics } from '@orch/runtime';

/** Bounds of the histogram in seconds, as in the reference. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Largest status code with a series of its own; larger ones are counted as this one, to bound the number of series. */
const LARGEST_CODE = 600;

/** Returns an observer that counts and times the calls of admission webhooks, with metrics of the reference's names. */
export function webhookMetrics(metrics: Metrics): WebhookObserver {
  const duration = metrics.histogram({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: 'Time that an admission webhook took, including the processing of its answer.',
    labels: ['name', 'type', 'operation', 'rejected'] as const,
    buckets: BUCKETS,
    stability: 'STABLE',
  });
  const requests = metrics.counter({
    name: 'apiserver_admission_webhook_request_total',
    help: 'Number of calls of an admission webhook, by the status code of the result.',
    labels: ['name', 'type', 'operation', 'code', 'rejected'] as const,
  });
  const rejections = metrics.counter({
    name: 'apiserver_admission_webhook_rejection_count',
    help: 'Number of requests that an admission webhook refused (no_error), or that were refused because the call failed (calling_webhook_error) or because the answer could not be applied (apiserver_internal_error).',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'] as const,
  });
  const failedOpen = metrics.counter({
    name: 'apiserver_admission_webhook_fail_open_count',
    help: 'Number of requests that continued although an admission webhook failed.',
    labels: ['name', 'type'] as const,
  });
  const conditions = metrics.counter({
    name: 'apiserver_admission_admission_match_condition_evaluation_errors_total',
    help: 'Number of match conditions that failed to evaluate.',
    labels: ['name', 'type'] as const,
  });
  const notAsked = metrics.counter({
    name: 'orch_admission_webhook_not_asked_total',
    help: 'Number of calls of an admission webhook that were not made, because too many calls of it hang and one of them is of the same user.',
    labels: ['name', 'type'] as const,
  });
  return {
    called({ webhook, type, operation, code, rejected, error, milliseconds }) {
      const counted = String(Math.min(code, LARGEST_CODE));
      requests.with(webhook, type, operation, counted, String(rejected)).inc();
      duration.with(webhook, type, operation, String(rejected)).observe(milliseconds / 1000);
      if (error) rejections.with(webhook, type, operation, error, counted).inc();
    },
    failedOpen: (webhook, type) => failedOpen.with(webhook, type).inc(),
    conditionFailed: (webhook, type) => conditions.with(webhook, type).inc(),
    notAsked: (webhook, type) => notAsked.with(webhook, type).inc(),
  };
}

/** Exports the number of hanging calls of each webhook. */
export function observeWebhooks(metrics: Metrics, states: () => readonly WebhookState[]): void {
  metrics.observedGauge(
    {
      name: 'orch_admission_webhook_hanging_calls',
      help: 'Number of hanging calls of an admission webhook: half of their timeout has passed, and nothing has been answered since they began.',
      labels: ['configuration', 'name', 'type'] as const,
    },
    () => states().map((each) => [[each.configuration, each.webhook, each.type], each.hanging] as const),
  );
}
