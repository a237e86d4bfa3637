import type { Metrics } from '@orch/runtime';

/** Webhooks whose address is in a connection file. */
export type ReviewKind = 'authentication' | 'authorization' | 'image-policy';

/** Counts calls of these webhooks; the returned function makes the counter of one of them. */
export function reviewCalls(metrics: Metrics): (webhook: ReviewKind) => (failed: boolean) => void {
  const calls = metrics.counter({
    name: 'orch_review_webhook_calls_total',
    help: 'Number of calls of authentication, authorization and other review webhooks, with all attempts as one, by result.',
    labels: ['webhook', 'result'] as const,
  });
  return (webhook) => {
    const [success, failure] = [calls.with(webhook, 'success'), calls.with(webhook, 'failure')];
    return (failed) => (failed ? failure : success).inc();
  };
}

/** Uses of Redis that processes share; a member is undefined without Redis. */
type SharedParts = Readonly<Record<'verdicts' | 'rates', { readonly isUsable: boolean } | undefined>>;

/** Reports for each use of Redis whether Redis answers. */
export function observeRedis(metrics: Metrics, parts: SharedParts): void {
  metrics.observedGauge(
    {
      name: 'orch_redis_connected',
      help: '1 if Redis answers, 0 if the process works without it, by use.',
      labels: ['use'] as const,
    },
    () => Object.entries(parts).flatMap(([use, part]) => (part ? [[[use], part.isUsable ? 1 : 0] as const] : [])),
  );
}

/** Returns a recorder of how far the clock of this machine is ahead of the database's, milliseconds. */
export function clockOffset(metrics: Metrics): (offset: number) => void {
  const gauge = metrics
    .gauge({
      name: 'orch_clock_offset_seconds',
      help: "Certain part of the offset of this machine's clock from the clock of the database; negative if this clock is behind.",
      labels: [] as const,
    })
    .with();
  return (offset) => gauge.set(offset / 1000);
}
