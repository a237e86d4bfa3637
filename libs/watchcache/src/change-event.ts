import type { Change, Version } from '@orch/storage';
import type { CacheEntry } from './cache-entry.js';

/** What a change is to a watch: an object comes into what it selects, changes there, or leaves it. */
export type EventKind = 'ADDED' | 'MODIFIED' | 'DELETED';

/** A change with the states before and after it. Frames made of it are kept with it for a while (`FrameCache`). */
export interface ChangeEvent {
  readonly version: Version;
  readonly op: Change['op'];
  /** The state after; for a delete the last state, carrying the deletion's version. */
  readonly entry: CacheEntry;
  readonly prior: CacheEntry | undefined;
  /** Monotonic ms of arrival. */
  readonly at: number;
  frames: Frame[] | undefined;
  /** What the observer has to say of it. */
  readonly origin?: unknown;
}

/** Wire bytes of an event for one encoder. */
export interface Frame {
  readonly kind: EventKind;
  readonly encoder: string;
  /** One, but of large objects. */
  readonly pieces: readonly Buffer[];
  /** Bytes that it holds on to. */
  readonly size: number;
}
