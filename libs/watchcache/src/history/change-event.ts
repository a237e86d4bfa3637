import type { Change, Version } from '@orch/storage';
import type { CacheEntry } from '../state/cache-entry.js';

/** Effect of a change on a watch: an object enters its selection, changes in it, or leaves it. */
export type EventKind = 'ADDED' | 'MODIFIED' | 'DELETED';

/** A change with the states before and after it. Its frames are cached with it for a while (`FrameCache`). */
export interface ChangeEvent {
  readonly version: Version;
  readonly op: Change['op'];
  /** The state after; for a delete the last state, with the deletion's version. */
  readonly entry: CacheEntry;
  readonly prior: CacheEntry | undefined;
  /** Monotonic ms of arrival. */
  readonly at: number;
  frames: Frame[] | undefined;
  /** Value that the observer returned for the event. */
  readonly origin?: unknown;
}

/** Wire bytes of an event for one encoder. */
export interface Frame {
  readonly kind: EventKind;
  readonly encoder: string;
  /** The frame's pieces: a single one, except for large objects. */
  readonly pieces: readonly Buffer[];
  /** Bytes that it retains. */
  readonly size: number;
}
