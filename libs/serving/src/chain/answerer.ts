import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { RequestObserver } from '../metrics/request-observer.js';
import type { HandedStreams } from '../proxying/handed-streams.js';
import type { OpenWatches } from '../watching/open-watches.js';
import type { OpenContext } from './new-context.js';
import type { RequestInfo } from './request-info.js';

/** Services of the chain for an {@link Answerer}. */
export interface Answering {
  /** Registry of the open watches. */
  readonly watches: OpenWatches;
  /** Request metrics. */
  readonly metrics: RequestMetrics;
  /** Observes requests for metrics, logs and traces. */
  readonly observer: RequestObserver;
  /** Registry of the streams that other processes serve for clients of this one. */
  readonly streams: HandedStreams;
}

/** Answers requests of groups that other servers serve. */
export interface Answerer {
  /** Answers a request that another server serves; undefined for all others. @throws StatusError 503, 429, 400 */
  answer(ctx: OpenContext, answering: Answering): Promise<void> | undefined;
  /** Whether another server serves the request. */
  answers(info: RequestInfo): boolean;
}
