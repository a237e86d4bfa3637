import type { Metrics } from '@orch/runtime';
import type { SlowClients } from '../chain/slow-clients.js';
import type { WatchOutputs } from '../watching/watch-output.js';

const NONE = [] as const;

/** Observes the bytes that wait for clients of watches. */
export function observeWatchOutputs(metrics: Metrics, outputs: Pick<WatchOutputs, 'waiting'>): void {
  metrics.observedGauge(
    {
      name: 'orch_watch_waiting_bytes',
      help: 'Number of bytes that wait for clients of watches: own (in the connection of one watch) and shared (pieces of streams, each counted once however many watches it waits for).',
      labels: ['memory'] as const,
    },
    () => Object.entries(outputs.waiting()).map(([memory, bytes]) => [[memory], bytes] as const),
  );
}

/** Observes the requests without a seat that wait for their clients. */
export function observeSlowClients(
  metrics: Metrics,
  {
    bodies,
    answers,
    answerBytes,
  }: Record<keyof Pick<SlowClients, 'bodies' | 'answers' | 'answerBytes'>, { readonly held: number }>,
): void {
  metrics.observedGauge(
    {
      name: 'orch_slow_requests',
      help: 'Number of requests without a seat that wait for their client: to send the rest of the body (body), or to read the response (answer).',
      labels: ['waiting'] as const,
    },
    () => [[['body'], bodies.held] as const, [['answer'], answers.held] as const],
  );
  metrics.observedGauge(
    {
      name: 'orch_unread_answer_bytes',
      help: 'Size of responses of requests without a seat that their clients do not read, in bytes.',
      labels: NONE,
    },
    () => [[NONE, answerBytes.held]],
  );
}
