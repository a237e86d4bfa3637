import type { Metrics } from '@orch/runtime';
import type { PieceCache, PieceCacheStats } from './piece-cache.js';

const NONE = [] as const;

/** Observes the cache of encoded and compressed lists. */
export function observeListCache(metrics: Metrics, cache: Pick<PieceCache, 'stats'>): void {
  const read = (value: (stats: PieceCacheStats) => number) => () => [[NONE, value(cache.stats())] as const];
  metrics.observedGauge(
    { name: 'orch_list_cache_bytes', help: 'Size of cached encoded and compressed lists in bytes.', labels: NONE },
    read(({ bytes }) => bytes),
  );
  metrics.observedCounter(
    {
      name: 'orch_list_cache_hits_total',
      help: 'Number of pieces of lists that were found in the cache.',
      labels: NONE,
    },
    read(({ hits }) => hits),
  );
  metrics.observedCounter(
    {
      name: 'orch_list_cache_misses_total',
      help: 'Number of pieces of lists that had to be encoded or compressed.',
      labels: NONE,
    },
    read(({ misses }) => misses),
  );
}
