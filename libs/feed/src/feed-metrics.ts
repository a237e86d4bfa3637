import { LATENCY_BUCKETS, type Metrics } from '@orch/runtime';
import type { TypeId } from '@orch/storage';
import type { ChangeBus } from './feed.js';
import type { FeedObserver } from './observer.js';
import type { OrderedFeed } from './ordered-feed.js';

/** Names of resources, by type. */
interface ResourceNames {
  /** Returns the name of a type in metrics. */
  of(type: TypeId): string;
}

interface TypeCounts {
  heals: number;
  healed: number;
  fetched: number;
  repeated: number;
  expired: number;
  rewound: number;
}

const NONE = [] as const;
const RESOURCE = ['resource'] as const;

/** Observer of the feed that counts. */
interface FeedMetrics extends Required<Omit<FeedObserver, 'failed'>> {
  /** Counts a failed read. */
  failed(): void;
  /** Drops the counts of a type that is no longer served. */
  forget(type: TypeId): void;
}

/** Counts what the feed does; by type where that says where to look. */
export function feedObserver(metrics: Metrics, names: ResourceNames): FeedMetrics {
  const counts = new Map<TypeId, TypeCounts>();
  const of = (type: TypeId): TypeCounts => {
    let known = counts.get(type);
    if (known === undefined) {
      known = { heals: 0, healed: 0, fetched: 0, repeated: 0, expired: 0, rewound: 0 };
      counts.set(type, known);
    }
    return known;
  };
  observeCounts(metrics, names, counts);
  const confirm = metrics.histogram({
    name: 'orch_feed_confirm_seconds',
    help: 'Time from the start of a head query until all changes up to that head have been received.',
    labels: NONE,
    buckets: LATENCY_BUCKETS,
  });
  const counter = (name: string, help: string) => metrics.counter({ name, help, labels: NONE }).with();
  const failures = counter('orch_feed_failures_total', 'Number of failed reads from the database or the bus.');
  const queries = counter('orch_feed_head_queries_total', 'Number of queries for the heads of types.');
  const checks = counter('orch_feed_head_checks_total', 'Number of head checks; many share a query.');
  return {
    healed(type, changes) {
      const ofType = of(type);
      ofType.heals++;
      ofType.healed += changes;
    },
    fetched(type, changes) {
      of(type).fetched += changes;
    },
    repeated(type, changes) {
      of(type).repeated += changes;
    },
    reset(type, reason) {
      of(type)[reason]++;
    },
    lag(type, ms) {
      of(type); // from now on its counts are there, at zero
      confirm.with().observe(ms / 1000);
    },
    headsRead(_types, callers) {
      queries.inc();
      checks.inc(callers);
    },
    failed: () => failures.inc(),
    forget: (type) => void counts.delete(type),
  };
}

function observeCounts(metrics: Metrics, names: ResourceNames, counts: ReadonlyMap<TypeId, TypeCounts>): void {
  const counter = (name: string, help: string, read: (count: TypeCounts) => number): void => {
    metrics.observedCounter({ name, help, labels: RESOURCE }, () =>
      [...counts].map(([type, count]) => [[names.of(type)], read(count)] as const),
    );
  };
  counter('orch_feed_heals_total', 'Number of gaps that were filled from the database.', ({ heals }) => heals);
  counter(
    'orch_feed_healed_changes_total',
    'Number of changes that were read from the database to fill gaps.',
    ({ healed }) => healed,
  );
  counter(
    'orch_feed_fetched_changes_total',
    'Number of changes that were announced without their body, which was read from the database.',
    ({ fetched }) => fetched,
  );
  counter(
    'orch_feed_repeated_changes_total',
    'Number of changes that were received more than once.',
    ({ repeated }) => repeated,
  );
  metrics.observedCounter(
    {
      name: 'orch_feed_resets_total',
      help: 'Number of times that a type was loaded again because continuity was lost.',
      labels: ['resource', 'reason'] as const,
    },
    () =>
      [...counts].flatMap(([type, { expired, rewound }]) => [
        [[names.of(type), 'expired'], expired] as const,
        [[names.of(type), 'rewound'], rewound] as const,
      ]),
  );
}

/** Gauges of the bus and of what is known through it; a counter of announcements that were not made. */
export function observeFeed(metrics: Metrics, feed: Pick<OrderedFeed, 'lag'>, bus: Pick<ChangeBus, 'healthy'>): void {
  metrics.observedGauge(
    {
      name: 'orch_feed_lag_seconds',
      help: 'Time since this process was last known to have received all changes.',
      labels: NONE,
    },
    () => [[NONE, feed.lag() / 1000] as const],
  );
  metrics.observedGauge(
    { name: 'orch_feed_bus_connected', help: '1 if changes are announced on the bus, 0 if not.', labels: NONE },
    () => [[NONE, bus.healthy() ? 1 : 0] as const],
  );
}
