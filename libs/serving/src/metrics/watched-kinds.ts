import type { FrameEncoder } from '@orch/watchcache';

/** Kind of the objects of a stream, for metrics. */
export interface WatchedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Kinds of the events of encoders, for as long as the encoders live. */
export const watchedKinds = new WeakMap<FrameEncoder, WatchedKind>();
