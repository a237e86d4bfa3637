import type { Metrics } from '@orch/runtime';
import type { TypeId } from '@orch/storage';
import type { TypeCacheStats } from '../type-cache-options.js';
import type { WatchCache } from '../watch-cache.js';

const RESOURCE = ['resource'] as const;

/** Names of resources, by type. */
interface ResourceNames {
  of(type: TypeId): string;
}

/** Observes the watch cache by resource, each time metrics are collected. Types that are not in memory have no series. */
export function observeWatchCache(metrics: Metrics, cache: Pick<WatchCache, 'types'>, names: ResourceNames): void {
  const read =
    (value: (stats: TypeCacheStats) => number | undefined, join = sum) =>
    () =>
      byResource(cache, names, value, join);
  const gauge = (
    name: string,
    help: string,
    value: (stats: TypeCacheStats) => number | undefined,
    join?: typeof sum,
  ): void => metrics.observedGauge({ name: `orch_watch_cache_${name}`, help, labels: RESOURCE }, read(value, join));
  const counter = (name: string, help: string, value: (stats: TypeCacheStats) => number): void =>
    metrics.observedCounter({ name: `orch_watch_cache_${name}_total`, help, labels: RESOURCE }, read(value));
  gauge('ready', '1 if the state is loaded and followed, 0 if not.', ({ ready }) => (ready ? 1 : 0), Math.min);
  gauge(
    'confirmed_age_seconds',
    'Time since the state in memory was last known to be complete.',
    ({ confirmedAgo }) => (confirmedAgo === undefined ? undefined : confirmedAgo / 1000),
    Math.max,
  );
  gauge('watchers', 'Number of open watches.', (stats) => stats.watchers);
  gauge('audiences', 'Number of groups of watchers with the same selection.', (stats) => stats.audiences);
  gauge(
    'selector_terms',
    'Number of conditions and values that events are matched against, without those that find watches directly.',
    (stats) => stats.selectorTerms,
  );
  gauge('behind', 'Number of watchers that are stalled or catching up.', (stats) => stats.behind);
  gauge('objects', 'Number of objects in memory.', (stats) => stats.objects);
  gauge('indexes', 'Number of indexed attributes.', (stats) => stats.indexes);
  gauge('state_bytes', 'Estimated size of the state in bytes.', (stats) => stats.stateBytes);
  gauge('index_bytes', 'Estimated size of the indexes in bytes.', (stats) => stats.indexBytes);
  gauge('frame_bytes', 'Size of encoded events that are kept for sharing, in bytes.', (stats) => stats.frameBytes);
  gauge(
    'initial_bytes',
    'Size of initial states that are being read, or were read a moment ago, in bytes.',
    (stats) => stats.initialBytes,
  );
  gauge('ring_events', 'Number of changes in the ring.', (stats) => stats.ringEvents);
  gauge('ring_bytes', 'Size of the ring in bytes.', (stats) => stats.ringBytes);
  gauge(
    'ring_span_seconds',
    'Time from the oldest change in the ring to the newest.',
    (stats) => stats.ringSpan / 1000,
    Math.max,
  );
  gauge(
    'history_bytes',
    'Size of history below the ring that is kept for watches that resume, in bytes.',
    (stats) => stats.historyBytes,
  );
  counter('snapshots', 'Number of times that the whole state was read from the database.', (stats) => stats.snapshots);
  counter('checks', 'Number of comparisons of the state with the database.', (stats) => stats.checks);
  counter('mismatches', 'Number of comparisons that found a difference.', (stats) => stats.mismatches);
  counter('history_reads', 'Number of queries for history below the ring.', (stats) => stats.historyReads);
  counter('history_pages', 'Number of pages of history that watches requested.', (stats) => stats.historyAsked);
  counter('initial_states', 'Number of initial states that were encoded.', (stats) => stats.initialStates);
  counter('initial_watches', 'Number of watches that requested an initial state.', (stats) => stats.initialWatches);
  counter('stalls', 'Number of times that a watcher did not read fast enough.', (stats) => stats.stalls);
  counter('expired', 'Number of streams that were ended because history had passed them.', (stats) => stats.expired);
  counter('delivered_events', 'Number of events written to sockets.', (stats) => stats.deliveredEvents);
  counter('delivered_bytes', 'Number of bytes written to sockets.', (stats) => stats.deliveredBytes);
  metrics.observedGauge(
    {
      name: 'apiserver_storage_objects',
      help: 'Number of objects of each type that is in the memory of this process.',
      labels: RESOURCE,
      stability: 'STABLE',
    },
    read(({ ready, objects }) => (ready ? objects : undefined), Math.max),
  );
}

const sum = (a: number, b: number): number => a + b;

/** A resource that a webhook converts is in memory once for each version that is watched. */
function byResource(
  cache: Pick<WatchCache, 'types'>,
  names: ResourceNames,
  value: (stats: TypeCacheStats) => number | undefined,
  join: typeof sum,
) {
  const found = new Map<string, number>();
  for (const type of cache.types()) {
    const [name, read] = [names.of(type.type), value(type.stats())];
    const known = found.get(name);
    if (read !== undefined) found.set(name, known === undefined ? read : join(known, read));
  }
  return [...found].map(([name, read]) => [[name], read] as const);
}

/** Declares every metric of this package, for their reference. */
export const watchCacheMetrics = (metrics: Metrics): void =>
  observeWatchCache(metrics, { types: () => [].values() }, { of: String });
