import type { Version } from '@orch/storage';
import type { Describe } from './attributes.js';
import type { FanOutStats } from './fan-out-model.js';
import type { FanOutOptions } from './fan-out-options.js';
import type { FrameEncoder } from './frames.js';
import type { Interest } from './interest.js';
import type { WatchSink } from './watcher.js';

export interface TypeCacheOptions extends FanOutOptions {
  /** Milliseconds that the ring holds a change. Default 300,000. */
  readonly ringMaxAge?: number;
  /** Bytes that the ring keeps beside the state, frames apart. Default 32 MiB. */
  readonly ringMaxBytes?: number;
  /** Milliseconds that a request waits for the state to be loaded. Default 5000. */
  readonly loadWait?: number;
  /** Milliseconds that the start of a watch waits for a version that does not exist yet. Default 3000. */
  readonly versionWait?: number;
  /** Bytes of history below the ring that are kept while watchers resume from there. Default 16 MiB. */
  readonly historyBytes?: number;
  /** Attributes (label keys, fields) that may be indexed at a time. Default 16. */
  readonly maxIndexes?: number;
  /** Hears of failures to load; the cache goes on trying. */
  readonly onError?: (error: unknown) => void;
}

/** What a type's objects look like to selectors. */
export interface TypeDescription {
  readonly describe: Describe;
}

export interface WatchRequest extends Interest {
  readonly encoder: FrameEncoder;
  /** `now`: the state as of the call, as the database has it. `any`: as the cache has it. `after`: behind a version. */
  readonly from: { readonly at: 'now' } | { readonly at: 'any' } | { readonly after: Version };
  /**
   * `legacy`: the state as `ADDED` events, unless `from` is a version (parameter `sendInitialEvents` unset).
   * `stream`: the state, not older than `from`, then a bookmark that marks its end. `none`: only changes.
   */
  readonly initialEvents: 'none' | 'legacy' | 'stream';
  readonly bookmarks: boolean;
  readonly sink: WatchSink;
  /** Whom its selector is charged to, by `selectorLimits`. Default: nobody. */
  readonly owner?: string;
  /** Monotonic ms (`Clock.now`) at which the stream is to end. Default: never. */
  readonly deadline?: number;
}

export interface TypeCacheStats extends FanOutStats {
  readonly ready: boolean;
  readonly version: Version | undefined;
  readonly objects: number;
  /** Attributes that objects are found by. */
  readonly indexes: number;
  /** Bytes of the state, an estimate. */
  readonly stateBytes: number;
  readonly ringEvents: number;
  readonly ringBytes: number;
  readonly ringFloor: Version | undefined;
  /** Times that the whole state was read from the database. */
  readonly snapshots: number;
  /** Comparisons of the state with the database that were finished, and how many found a difference. */
  readonly checks: number;
  readonly mismatches: number;
  /** Queries for history below the ring, and pages of it that watchers asked for. */
  readonly historyReads: number;
  readonly historyAsked: number;
  /** Bytes of history below the ring that are held. */
  readonly historyBytes: number;
  /** Milliseconds from the oldest event in the ring to the newest. */
  readonly ringSpan: number;
  /** Milliseconds since everything was last known to be here; undefined before the first time. */
  readonly confirmedAgo: number | undefined;
}
