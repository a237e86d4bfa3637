import type { ListGate, WindowMemory } from '@orch/reading';
import type { PieceCache, PieceCacheStats, ResourceNames } from '@orch/resources';
import type { Metrics } from '@orch/runtime';
import type { SlowClients, WatchOutputs } from '@orch/serving';
import type { TypeCacheStats, WatchCache } from '@orch/watchcache';

const RESOURCE = ['resource'] as const;
const NONE = [] as const;

/** The watch tier by type, read when metrics are asked for. Types that are not in memory have no series. */
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

/** What waits for the clients of watches. */
export function observeWatchOutputs(metrics: Metrics, outputs: Pick<WatchOutputs, 'waiting'>): void {
  metrics.observedGauge(
    {
      name: 'orch_watch_waiting_bytes',
      help: 'Bytes that wait for clients of watches: own (in the connection of one watch) and shared (pieces of streams, each counted once however many watches it waits for).',
      labels: ['memory'] as const,
    },
    () => Object.entries(outputs.waiting()).map(([memory, bytes]) => [[memory], bytes] as const),
  );
}

/** What lists that read from the database take. */
export interface DatabaseLists {
  readonly gate: Pick<ListGate, 'stats'>;
  readonly memory: Pick<WindowMemory, 'held'>;
}

/** Lists that read from the database, and what they have read ahead. */
export function observeDatabaseLists(metrics: Metrics, { gate, memory }: DatabaseLists): void {
  metrics.observedGauge(
    {
      name: 'orch_database_lists',
      help: 'Lists that read from the database (reading), and that wait for a place (waiting).',
      labels: ['state'] as const,
    },
    () => Object.entries(gate.stats()).map(([state, lists]) => [[state], lists] as const),
  );
  metrics.observedGauge(
    {
      name: 'orch_list_window_bytes',
      help: 'Memory reserved for what lists have read from the database ahead of clients that do not read.',
      labels: NONE,
    },
    () => [[NONE, memory.held]],
  );
}

/** What waits for clients beside watches. */
export function observeSlowClients(
  metrics: Metrics,
  {
    bodies,
    answers,
    answerBytes,
  }: Record<keyof Pick<SlowClients, 'bodies' | 'answers' | 'answerBytes'>, { readonly held: number }>,
): void {
  metrics.observedGauge(
    {
      name: 'orch_slow_requests',
      help: 'Requests without a seat that wait for their client: to send the rest of the body (body), or to read the answer (answer).',
      labels: ['waiting'] as const,
    },
    () => [[['body'], bodies.held] as const, [['answer'], answers.held] as const],
  );
  metrics.observedGauge(
    {
      name: 'orch_unread_answer_bytes',
      help: 'Bytes of answers of requests without a seat that their clients do not read.',
      labels: NONE,
    },
    () => [[NONE, answerBytes.held]],
  );
}

/** What is kept of lists. */
export function observeListCache(metrics: Metrics, cache: Pick<PieceCache, 'stats'>): void {
  const read = (value: (stats: PieceCacheStats) => number) => () => [[NONE, value(cache.stats())] as const];
  metrics.observedGauge(
    { name: 'orch_list_cache_bytes', help: 'Encoded and compressed bytes of lists that are kept.', labels: NONE },
    read(({ bytes }) => bytes),
  );
  metrics.observedCounter(
    { name: 'orch_list_cache_hits_total', help: 'Parts of lists that were there when asked for.', labels: NONE },
    read(({ hits }) => hits),
  );
  metrics.observedCounter(
    {
      name: 'orch_list_cache_misses_total',
      help: 'Parts of lists that had to be encoded or compressed.',
      labels: NONE,
    },
    read(({ misses }) => misses),
  );
}
