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
    help: 'Time from the start of a read of a head to having everything up to it.',
    labels: NONE,
    buckets: LATENCY_BUCKETS,
  });
  const counter = (name: string, help: string) => metrics.counter({ name, help, labels: NONE }).with();
  const failures = counter('orch_feed_failures_total', 'Failed reads of the database, or of a consumer.');
  const queries = counter('orch_feed_head_queries_total', 'Queries that read the heads of types.');
  const checks = counter('orch_feed_head_checks_total', 'Checks of a head, many of which share a query.');
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
  counter('orch_feed_heals_total', 'Gaps that were read from the database.', ({ heals }) => heals);
  counter('orch_feed_healed_changes_total', 'Changes read from the database.', ({ healed }) => healed);
  counter(
    'orch_feed_fetched_changes_total',
    'Changes announced without what they made, which was read from the database.',
    ({ fetched }) => fetched,
  );
  counter('orch_feed_repeated_changes_total', 'Changes announced more than once.', ({ repeated }) => repeated);
  metrics.observedCounter(
    {
      name: 'orch_feed_resets_total',
      help: 'Times that a type was loaded anew because continuity was lost.',
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
    { name: 'orch_feed_lag_seconds', help: 'Time since everything was last known to have arrived.', labels: NONE },
    () => [[NONE, feed.lag() / 1000] as const],
  );
  metrics.observedGauge(
    { name: 'orch_feed_bus_connected', help: 'Whether changes are announced on the bus (1) or not (0).', labels: NONE },
    () => [[NONE, bus.healthy() ? 1 : 0] as const],
  );
}
