import type { WorkerMetrics } from '../metrics/merge-metrics.js';

/** A message from a worker to its parent. */
export type FromWorker =
  | { readonly about: 'ready'; readonly lines: readonly string[] }
  /** Its event loop runs. */
  | { readonly about: 'alive' }
  /** A client has requested metrics of this worker: those of all workers are wanted. */
  | { readonly about: 'collect'; readonly id: number }
  | { readonly about: 'metrics'; readonly id: number; readonly body: string };

/** A message from the parent to a worker. */
export type ToWorker =
  | { readonly about: 'metrics-wanted'; readonly id: number }
  | { readonly about: 'collected'; readonly id: number; readonly pages: readonly WorkerMetrics[] };
