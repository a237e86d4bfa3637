import type { WorkerMetrics } from '../metrics/merge-metrics.js';

/** What a worker tells its parent. */
export type FromWorker =
  | { readonly about: 'ready'; readonly lines: readonly string[] }
  /** Its event loop runs. */
  | { readonly about: 'alive' }
  /** Somebody has asked this worker for metrics: those of all are wanted. */
  | { readonly about: 'collect'; readonly id: number }
  | { readonly about: 'metrics'; readonly id: number; readonly body: string };

/** What a parent tells a worker. */
export type ToWorker =
  | { readonly about: 'metrics-wanted'; readonly id: number }
  | { readonly about: 'collected'; readonly id: number; readonly pages: readonly WorkerMetrics[] };
