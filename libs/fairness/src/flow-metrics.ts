import {
  type FlowObserver,
  type LevelAdjustment,
  type LevelLimits,
  type LevelObserver,
  type RejectReason,
  seatsOf,
  type WorkEstimate,
} from '@orch/flowcontrol';
import type { Metrics } from '@orch/runtime';

const FLOW = ['priority_level', 'flow_schema'] as const;
const LEVEL = ['priority_level'] as const;
const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const LENGTHS = [0, 10, 25, 50, 100, 250, 500, 1000];

/** Series of the requests of one flow schema. */
interface FlowSeries {
  estimated(estimate: WorkEstimate): void;
  rejected(reason: RejectReason | 'cancelled'): void;
  /** @param ms how long it waited, whether for its turn or for nothing */
  waited(isSeated: boolean, ms: number): void;
  /** Records that execution begins. @returns what records its end */
  dispatched(type: 'regular' | 'watch'): () => void;
}

/** Metrics of flow control. */
export interface FlowMetrics {
  /** Records the state of levels. */
  readonly observer: FlowObserver;
  /** Returns the series of a flow schema at a level. */
  of(level: string, schema: string): FlowSeries;
}

/**
 * Creates the metrics of flow control under the names of the reference (pkg/util/flowcontrol/metrics of
 * k8s.io/apiserver).
 */
export function flowMetrics(metrics: Metrics): FlowMetrics {
  const families = familiesOf(metrics);
  const known = new Map<string, FlowSeries>();
  return {
    observer: {
      of: (level) => levelObserver(families, level),
      ...levelGauges(metrics),
      forget(level) {
        metrics.forget({ priority_level: level });
        for (const key of known.keys()) if (key.startsWith(`${level}\n`)) known.delete(key);
      },
    },
    of(level, schema) {
      const key = `${level}\n${schema}`;
      const made = known.get(key) ?? seriesOf(families, level, schema);
      known.set(key, made);
      return made;
    },
  };
}

const named = (name: string, help: string) => ({ name: `apiserver_flowcontrol_${name}`, help });

function familiesOf(metrics: Metrics) {
  const counter = (name: string, help: string) => metrics.counter({ ...named(name, help), labels: FLOW });
  const gauge = (name: string, help: string) => metrics.gauge({ ...named(name, help), labels: FLOW });
  return {
    rejected: metrics.counter({
      ...named('rejected_requests_total', 'Requests that were refused as there was no room for them, by why.'),
      labels: [...FLOW, 'reason'] as const,
    }),
    dispatched: counter('dispatched_requests_total', 'Requests that were carried out.'),
    waiting: gauge('current_inqueue_requests', 'Requests that wait to be carried out.'),
    executing: gauge('current_executing_requests', 'Requests that are carried out, watches until they have begun.'),
    seats: gauge('request_concurrency_in_use', 'Seats that are held.'),
    noRoom: counter(
      'request_dispatch_no_accommodation_total',
      'Times that the request whose turn it was needed more seats than were free.',
    ),
    lengths: metrics.histogram({
      ...named('request_queue_length_after_enqueue', 'Requests in the queue that one has just entered.'),
      labels: FLOW,
      buckets: LENGTHS,
    }),
    waits: metrics.histogram({
      ...named('request_wait_duration_seconds', 'How long requests waited, by whether they were carried out then.'),
      labels: [...FLOW, 'execute'] as const,
      buckets: SECONDS,
    }),
    executions: metrics.histogram({
      ...named('request_execution_seconds', 'How long requests were carried out, watches until they had begun.'),
      labels: [...FLOW, 'type'] as const,
      buckets: SECONDS,
    }),
    estimates: metrics.histogram({
      ...named('work_estimated_seats', 'Seats that requests were thought to need.'),
      labels: FLOW,
      buckets: [1, 2, 4, 10],
    }),
  };
}

type Families = ReturnType<typeof familiesOf>;

function levelObserver(families: Families, level: string): LevelObserver {
  const made = (schema: string) => ({
    waiting: families.waiting.with(level, schema),
    executing: families.executing.with(level, schema),
    seats: families.seats.with(level, schema),
    lengths: families.lengths.with(level, schema),
    noRoom: families.noRoom.with(level, schema),
  });
  const known = new Map<string, ReturnType<typeof made>>();
  const of = (schema: string) => {
    const series = known.get(schema) ?? made(schema);
    known.set(schema, series);
    return series;
  };
  return {
    waits: (schema, by) => of(schema).waiting.add(by),
    executes: (schema, by) => of(schema).executing.add(by),
    seats: (schema, by) => of(schema).seats.add(by),
    queueLength: (schema, length) => of(schema).lengths.observe(length),
    noRoom: (schema) => of(schema).noRoom.inc(),
  };
}

function seriesOf(families: Families, level: string, schema: string): FlowSeries {
  const dispatched = families.dispatched.with(level, schema);
  const estimates = families.estimates.with(level, schema);
  const execution = {
    regular: families.executions.with(level, schema, 'regular'),
    watch: families.executions.with(level, schema, 'watch'),
  };
  return {
    estimated: (estimate) => estimates.observe(seatsOf(estimate)),
    rejected: (reason) => families.rejected.with(level, schema, reason).inc(),
    waited: (isSeated, ms) => families.waits.with(level, schema, String(isSeated)).observe(ms / 1000),
    dispatched(type) {
      dispatched.inc();
      const began = performance.now();
      return () => execution[type].observe((performance.now() - began) / 1000);
    },
  };
}

/** Creates the gauges of a level's seats and of the values they are computed from. */
function levelGauges(metrics: Metrics): Omit<FlowObserver, 'of' | 'forget'> {
  const gauge = (name: string, help: string) => metrics.gauge({ ...named(name, help), labels: LEVEL });
  const nominal = gauge('nominal_limit_seats', 'Seats by the share of the level alone.');
  const limit = gauge('request_concurrency_limit', 'What nominal_limit_seats tells, under its older name.');
  const least = gauge('lower_limit_seats', 'Seats that no other level borrows.');
  const most = gauge('upper_limit_seats', 'Seats with all that the level may borrow.');
  const current = gauge('current_limit_seats', 'Seats that the level has now.');
  const target = gauge('target_seats', 'Seats that the level has use for.');
  const highest = gauge(
    'demand_seats_high_watermark',
    'Most seats that were wanted at a time since seats were divided last.',
  );
  const average = gauge('demand_seats_average', 'Seats that were wanted on average since then.');
  const deviation = gauge('demand_seats_stdev', 'How much that changed meanwhile: the standard deviation.');
  const smoothed = gauge('demand_seats_smoothed', 'Seats that are expected to be wanted.');
  return {
    limits(level: string, limits: LevelLimits) {
      nominal.with(level).set(limits.nominal);
      limit.with(level).set(limits.nominal);
      least.with(level).set(limits.least);
      most.with(level).set(limits.most);
    },
    adjusted(level: string, adjustment: LevelAdjustment) {
      current.with(level).set(adjustment.current);
      target.with(level).set(adjustment.target);
      highest.with(level).set(adjustment.highest);
      average.with(level).set(adjustment.average);
      deviation.with(level).set(adjustment.deviation);
      smoothed.with(level).set(adjustment.smoothed);
    },
  };
}
