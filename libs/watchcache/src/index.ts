export type { Attributes, Describe, EqualityKey, Selection } from './attributes.js';
export type { CacheEntry } from './cache-entry.js';
export * from './errors.js';
export type { FrameEncoder, StreamError } from './frames.js';
export type { Interest } from './interest.js';
export type { EventKind } from './ring.js';
export type { ListRequest, ListResult } from './state.js';
export {
  TypeCache,
  type TypeCacheOptions,
  type TypeCacheStats,
  type TypeDescription,
  type WatchRequest,
} from './type-cache.js';
export { WatchCache, type WatchCacheOptions } from './watch-cache.js';
export type { EndReason, Watcher, WatchSink } from './watcher.js';
