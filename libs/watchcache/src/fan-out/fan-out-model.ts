import type { PriorDetail, Version } from '@orch/storage';
import type { ChangeEvent } from '../history/change-event.js';
import type { Ring } from '../history/ring.js';
import type { CacheEntry } from '../state/cache-entry.js';
import type { FrameEncoder } from './frames.js';
import type { Interest } from './interest.js';
import type { WatchSink } from './watch-sink.js';

/** The state that a fan-out serves. */
export interface WatchedState {
  readonly version: Version;
  readonly ring: Ring;
  /** Returns everything in an interest, in key order. */
  collect(interest: Interest): readonly CacheEntry[];
  /** Reads a page of changes after a version from the database; `prior` is what is needed of the states before them. */
  history(after: Version, prior: PriorDetail): Promise<readonly ChangeEvent[]>;
}

/** A watcher to be added, once its start has been decided. */
export interface Joining {
  readonly interest: Interest;
  /** Owner whose budgets its selector and initial state are charged to; undefined for none. */
  readonly owner?: string | undefined;
  readonly encoder: FrameEncoder;
  readonly sink: WatchSink;
  readonly bookmarks: boolean;
  readonly marksInitialEnd: boolean;
  /** Monotonic ms; infinity for never. */
  readonly endsAt: number;
  readonly from:
    | { readonly at: 'now' }
    | { readonly at: 'initial'; readonly notOlderThan: Version }
    /** `page` holds the changes after the version as far as they were read, if the ring does not. */
    | { readonly at: 'after'; readonly version: Version; readonly page?: readonly ChangeEvent[] };
}

/** Statistics of a fan-out. */
export interface FanOutStats {
  readonly watchers: number;
  readonly audiences: number;
  /** Watchers that are not live: reading their initial state, stalled, or catching up. */
  readonly behind: number;
  /** Number of times that a live watcher's sink was full. */
  readonly stalls: number;
  /** Streams ended because their position was lost from history. */
  readonly expired: number;
  /** Initial states that were made, and watchers that requested one. */
  readonly initialStates: number;
  readonly initialWatches: number;
  /** Events and bytes written to sinks, each watcher counted. */
  readonly deliveredEvents: number;
  readonly deliveredBytes: number;
  /** Terms of the watches' selectors beyond the index. */
  readonly selectorTerms: number;
  /** Bytes of frames kept for sharing. */
  readonly frameBytes: number;
  /** Bytes of initial states: reserved for their readers, and pieces kept for sharing. */
  readonly initialBytes: number;
}
