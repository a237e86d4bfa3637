import type { Metrics } from '@orch/runtime';
import type { WorkQueue, WorkQueueObserver } from '@orch/runtime/work';

/** Part of a queue that metrics read. */
export type ObservedQueue = Pick<WorkQueue, 'depth' | 'unfinished'>;

/** `workqueue_*` metrics of all queues of a process, under the names that client-go gives them. */
export interface WorkQueueMetrics {
  /** Counts what happens at the queue of this name. */
  observer(name: string): WorkQueueObserver;
  /** Reads the queue's length whenever metrics are scraped. */
  watch(name: string, queue: ObservedQueue): void;
}

/** Upper bounds of durations, seconds: 10 ns to 10 s, as in client-go. */
const SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10];
const LABELS = ['name'] as const;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Declares the metrics; once for a process. */
export function workQueueMetrics(metrics: Metrics): WorkQueueMetrics {
  const counter = (name: string, help: string) => metrics.counter({ name, help, labels: LABELS, stability: 'ALPHA' });
  const histogram = (name: string, help: string) =>
    metrics.histogram({ name, help, labels: LABELS, buckets: SECONDS, stability: 'ALPHA' });
  const adds = counter('workqueue_adds_total', 'Keys that were queued.');
  const retries = counter('workqueue_retries_total', 'Keys that were queued again after a failure.');
  const waits = histogram(
    'workqueue_queue_duration_seconds',
    'Seconds from when a key was queued until work on it began.',
  );
  const works = histogram('workqueue_work_duration_seconds', 'Seconds of work on a key.');
  const queues = new Map<string, ObservedQueue>();
  const gauge = (name: string, help: string, read: (queue: ObservedQueue) => number) =>
    metrics.observedGauge({ name, help, labels: LABELS, stability: 'ALPHA' }, () =>
      [...queues].map(([label, queue]) => [[label], read(queue)] as const),
    );
  gauge('workqueue_depth', 'Keys that wait for a worker.', ({ depth }) => depth);
  gauge('workqueue_unfinished_work_seconds', 'Seconds of work under way, over all keys.', ({ unfinished }) =>
    sum(unfinished),
  );
  gauge(
    'workqueue_longest_running_processor_seconds',
    'Seconds that the longest work under way has taken.',
    ({ unfinished }) => Math.max(0, ...unfinished),
  );
  return {
    observer: (name) => ({
      added: () => adds.with(name).inc(),
      retried: () => retries.with(name).inc(),
      started: (seconds) => waits.with(name).observe(seconds),
      finished: (seconds) => works.with(name).observe(seconds),
    }),
    watch: (name, queue) => void queues.set(name, queue),
  };
}
