import type { Metrics } from '@orch/runtime';
import type { TypeCacheStats, WatchCache } from '@orch/watchcache';

/** Gauges of the watch tier, read when metrics are asked for. */
export function observeWatchCache(metrics: Metrics, cache: WatchCache): void {
  const gauge = (name: string, help: string, read: (stats: TypeCacheStats) => number): void => {
    metrics.observedGauge({ name, help, labels: [] as const }, () => [[[] as const, total(cache, read)] as const]);
  };
  gauge('watch_cache_watchers', 'Open watches.', (stats) => stats.watchers);
  gauge('watch_cache_audiences', 'Groups of watchers that want the same bytes.', (stats) => stats.audiences);
  gauge('watch_cache_behind', 'Watchers that are stalled or catching up.', (stats) => stats.behind);
  gauge('watch_cache_stalls', 'Times that a watcher did not read fast enough.', (stats) => stats.stalls);
  gauge('watch_cache_expired', 'Streams ended because history had passed them.', (stats) => stats.expired);
  gauge('watch_cache_delivered_events', 'Events handed to sockets.', (stats) => stats.deliveredEvents);
  gauge('watch_cache_delivered_bytes', 'Bytes handed to sockets.', (stats) => stats.deliveredBytes);
  gauge('watch_cache_objects', 'Objects held in memory.', (stats) => stats.objects);
  gauge('watch_cache_bytes', 'Bytes of state and rings.', (stats) => stats.stateBytes + stats.ringBytes);
}

function total(cache: WatchCache, read: (stats: TypeCacheStats) => number): number {
  let sum = 0;
  for (const type of cache.types()) sum += read(type.stats());
  return sum;
}
