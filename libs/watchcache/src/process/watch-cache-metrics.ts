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
  gauge('ready', 'Whether the state is loaded and followed (1) or not (0).', ({ ready }) => (ready ? 1 : 0), Math.min);
  gauge(
    'confirmed_age_seconds',
    'Time since everything was last known to be here.',
    ({ confirmedAgo }) => (confirmedAgo === undefined ? undefined : confirmedAgo / 1000),
    Math.max,
  );
  gauge('watchers', 'Open watches.', (stats) => stats.watchers);
  gauge('audiences', 'Groups of watchers that want the same bytes.', (stats) => stats.audiences);
  gauge(
    'selector_terms',
    'Conditions and values that events are matched against, beside those that find watches.',
    (stats) => stats.selectorTerms,
  );
  gauge('behind', 'Watchers that are stalled or catching up.', (stats) => stats.behind);
  gauge('objects', 'Objects held in memory.', (stats) => stats.objects);
  gauge('indexes', 'Attributes that objects are found by.', (stats) => stats.indexes);
  gauge('state_bytes', 'Bytes of the state, an estimate.', (stats) => stats.stateBytes);
  gauge('index_bytes', 'Bytes of what objects are found by, an estimate.', (stats) => stats.indexBytes);
  gauge('frame_bytes', 'Bytes of frames kept for sharing.', (stats) => stats.frameBytes);
  gauge(
    'initial_bytes',
    'Bytes of initial states that are being read, or were a moment ago.',
    (stats) => stats.initialBytes,
  );
  gauge('ring_events', 'Changes in the ring.', (stats) => stats.ringEvents);
  gauge('ring_bytes', 'Bytes of the ring.', (stats) => stats.ringBytes);
  gauge(
    'ring_span_seconds',
    'Time from the oldest change in the ring to the newest.',
    (stats) => stats.ringSpan / 1000,
    Math.max,
  );
  gauge(
    'history_bytes',
    'Bytes of history below the ring, held for watches that resume.',
    (stats) => stats.historyBytes,
  );
  counter('snapshots', 'Times that the whole state was read from the database.', (stats) => stats.snapshots);
  counter('checks', 'Comparisons of the state with the database.', (stats) => stats.checks);
  counter('mismatches', 'Comparisons that found a difference.', (stats) => stats.mismatches);
  counter('history_reads', 'Queries for history below the ring.', (stats) => stats.historyReads);
  counter('history_pages', 'Pages of history that watches asked for.', (stats) => stats.historyAsked);
  counter('initial_states', 'Initial states that were made.', (stats) => stats.initialStates);
  counter('initial_watches', 'Watches that asked for an initial state.', (stats) => stats.initialWatches);
  counter('stalls', 'Times that a watcher did not read fast enough.', (stats) => stats.stalls);
  counter('expired', 'Streams ended because history had passed them.', (stats) => stats.expired);
  counter('delivered_events', 'Events handed to sockets.', (stats) => stats.deliveredEvents);
  counter('delivered_bytes', 'Bytes handed to sockets.', (stats) => stats.deliveredBytes);
  metrics.observedGauge(
    {
      name: 'apiserver_storage_objects',
      help: 'Objects of the types that are in memory here.',
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
