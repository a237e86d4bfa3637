import type { Version } from '@orch/storage';
import type { BodyConversion } from './conversion/body-conversion.js';
import type { FanOutStats } from './fan-out/fan-out-model.js';
import type { FanOutOptions } from './fan-out/fan-out-options.js';
import type { FrameEncoder } from './fan-out/frames.js';
import type { Interest } from './fan-out/interest.js';
import type { WatchSink } from './fan-out/watch-sink.js';
import type { Describe } from './state/attributes.js';

/** Limits of time and memory; all have defaults. */
export interface TypeCacheOptions extends FanOutOptions {
  /** Milliseconds for which the ring holds a change. Default 300,000. */
  readonly ringMaxAge?: number;
  /** Bytes of the ring beside the state and without frames. Default 32 MiB. */
  readonly ringMaxBytes?: number;
  /** Milliseconds for which a request waits for the state to be loaded. Default 5000. */
  readonly loadWait?: number;
  /** Milliseconds for which the start of a watch waits for a future version. Default 3000. */
  readonly versionWait?: number;
  /** Bytes of history below the ring that are kept while watchers resume there. Default 16 MiB. */
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
  /** Called when a selector first needs the attributes of a state; the result is kept with that state. */
  readonly describe: Describe;
}

/** A watch, and the destination of its bytes. */
export interface WatchRequest extends Interest {
  /** Encodes every event. */
  readonly encoder: FrameEncoder;
  /** `now`: the state as of the call in the database. `any`: the cached state. `after`: behind a version. */
  readonly from: { readonly at: 'now' } | { readonly at: 'any' } | { readonly after: Version };
  /**
   * `legacy`: the state as `ADDED` events, unless `from` is a version (parameter `sendInitialEvents` unset). `stream`:
   * the state, not older than `from`, then a bookmark that marks its end. `none`: only changes.
   */
  readonly initialEvents: 'none' | 'legacy' | 'stream';
  /** Whether bookmarks are sent, about every `bookmarkInterval`. */
  readonly bookmarks: boolean;
  /** Owned by the watch until that is closed or the sink was ended. */
  readonly sink: WatchSink;
  /** Owner charged for its selector (`selectorLimits`) and its initial state (`initialBudget`). Default: none. */
  readonly owner?: string;
  /** Monotonic ms (`Clock.now`) at which the stream ends. Default: never. */
  readonly deadline?: number;
}

/** Figures of one type; counters start with its cache. */
export interface TypeCacheStats extends FanOutStats {
  /** Whether the state is loaded and followed; if not, the figures of state and ring are 0. */
  readonly ready: boolean;
  /** Version of the state; undefined while there is none. */
  readonly version: Version | undefined;
  /** Objects in the state. */
  readonly objects: number;
  /** Number of indexed attributes. */
  readonly indexes: number;
  /** Estimated bytes of the state. */
  readonly stateBytes: number;
  /** Estimated bytes of the indexes. */
  readonly indexBytes: number;
  /** Changes that the ring holds. */
  readonly ringEvents: number;
  /** Bytes of the ring beside the state and without frames. */
  readonly ringBytes: number;
  /** Version from which watches may resume without the database; undefined while there is no state. */
  readonly ringFloor: Version | undefined;
  /** Number of times that the whole state was read from the database. */
  readonly snapshots: number;
  /** Completed comparisons of the state with the database. */
  readonly checks: number;
  /** Comparisons that found a difference: each is a bug, and ended all streams. */
  readonly mismatches: number;
  /** Queries for history below the ring. */
  readonly historyReads: number;
  /** Pages of that history that watchers requested, of which many share a query. */
  readonly historyAsked: number;
  /** Bytes of history below the ring that are held. */
  readonly historyBytes: number;
  /** Milliseconds from the oldest event in the ring to the newest. */
  readonly ringSpan: number;
  /** Milliseconds since the state was last known to be complete; undefined before the first time. */
  readonly confirmedAgo: number | undefined;
}
