import type { FrameEncoder } from '@orch/watchcache';

/** Kind of the objects of a stream, for metrics. */
export interface WatchedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kinds that encoders make events of, for as long as the encoders live. */
export const watchedKinds = new WeakMap<FrameEncoder, WatchedKind>();
