import type { Version } from '@orch/storage';
import type { Describe } from './attributes.js';
import type { BodyConversion } from './conversion/body-conversion.js';
import type { FanOutStats } from './fan-out-model.js';
import type { FanOutOptions } from './fan-out-options.js';
import type { FrameEncoder } from './frames.js';
import type { Interest } from './interest.js';
import type { WatchSink } from './watcher.js';

/** Bounds in time and memory; everything has a default. */
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
  /** Called when loading fails; the cache keeps trying. */
  readonly onError?: (error: unknown) => void;
}

/** How a type's objects are described to selectors. */
export interface TypeDescription {
  /** Converts objects before they are served; absent if encoders do. */
  readonly conversion?: BodyConversion;
  /** Called when a selector first looks at a state of an object; what it gives is kept with that state. */
  readonly describe: Describe;
}

/** A watch, and where its bytes go. */
export interface WatchRequest extends Interest {
  /** Makes the bytes of every event. */
  readonly encoder: FrameEncoder;
  /** `now`: the state as of the call, as the database has it. `any`: as the cache has it. `after`: behind a version. */
  readonly from: { readonly at: 'now' } | { readonly at: 'any' } | { readonly after: Version };
  /**
   * `legacy`: the state as `ADDED` events, unless `from` is a version (parameter `sendInitialEvents` unset).
   * `stream`: the state, not older than `from`, then a bookmark that marks its end. `none`: only changes.
   */
  readonly initialEvents: 'none' | 'legacy' | 'stream';
  /** Whether bookmarks are sent, about every `bookmarkInterval`. */
  readonly bookmarks: boolean;
  /** Belongs to the watch until that is closed or the sink was ended. */
  readonly sink: WatchSink;
  /**
   * Owner charged for its selector, by `selectorLimits`, and for its initial state, by `initialBudget`. Default: none.
   */
  readonly owner?: string;
  /** Monotonic ms (`Clock.now`) at which the stream is to end. Default: never. */
  readonly deadline?: number;
}

/** Figures of one type; what is counted is so since its cache was made. */
export interface TypeCacheStats extends FanOutStats {
  /** Whether the state is loaded and followed; while it is not, the figures of state and ring are 0. */
  readonly ready: boolean;
  /** Version of the state; undefined while there is none. */
  readonly version: Version | undefined;
  /** Objects in the state. */
  readonly objects: number;
  /** Attributes that objects are found by. */
  readonly indexes: number;
  /** Bytes of the state, an estimate. */
  readonly stateBytes: number;
  /** Bytes of what objects are found by, an estimate. */
  readonly indexBytes: number;
  /** Changes that the ring holds. */
  readonly ringEvents: number;
  /** Bytes that the ring keeps beside the state, frames apart. */
  readonly ringBytes: number;
  /** Watches may resume from here without the database; undefined while there is no state. */
  readonly ringFloor: Version | undefined;
  /** Times that the whole state was read from the database. */
  readonly snapshots: number;
  /** Comparisons of the state with the database that were finished, and how many found a difference. */
  readonly checks: number;
  /** Comparisons that found a difference: each is a defect, and ended all streams. */
  readonly mismatches: number;
  /** Queries for history below the ring, and pages of it that watchers asked for. */
  readonly historyReads: number;
  /** Pages of that history that watchers asked for, of which many share a query. */
  readonly historyAsked: number;
  /** Bytes of history below the ring that are held. */
  readonly historyBytes: number;
  /** Milliseconds from the oldest event in the ring to the newest. */
  readonly ringSpan: number;
  /** Milliseconds since everything was last known to be here; undefined before the first time. */
  readonly confirmedAgo: number | undefined;
}
