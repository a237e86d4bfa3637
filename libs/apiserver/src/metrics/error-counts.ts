import type { Metrics } from '@orch/runtime';

/** Counts the errors that a process logs, by their phrases. */
export class ErrorCounts {
  readonly #counts = new Map<string, number>();

  /** Counts an error by the phrase that is logged. */
  count(message: string): void {
    this.#counts.set(message, (this.#counts.get(message) ?? 0) + 1);
  }

  /** Shows them: what goes wrong beside requests has no other number. */
  observe(metrics: Metrics): void {
    metrics.observedCounter(
      {
        name: 'orch_logged_errors_total',
        help: 'Number of logged errors, by the message in the log.',
        labels: ['message'] as const,
        maxSeries: MOST_PHRASES,
      },
      () => [...this.#counts].map(([message, count]) => [[message], count] as const),
    );
  }
}

/** There are some fifty of them. */
const MOST_PHRASES = 200;
