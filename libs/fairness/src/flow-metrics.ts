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
      ...named('rejected_requests_total', 'Number of requests that flow control refused, by reason.'),
      labels: [...FLOW, 'reason'] as const,
    }),
    dispatched: counter('dispatched_requests_total', 'Number of requests that began to be executed.'),
    waiting: gauge('current_inqueue_requests', 'Number of requests that are queued.'),
    executing: gauge('current_executing_requests', 'Requests that are being executed; watches until they begin.'),
    seats: gauge('request_concurrency_in_use', 'Number of seats in use.'),
    noRoom: counter(
      'request_dispatch_no_accommodation_total',
      'Number of times that the next request needed more seats than were free.',
    ),
    lengths: metrics.histogram({
      ...named('request_queue_length_after_enqueue', 'Length of the queue after a request entered it.'),
      labels: FLOW,
      buckets: LENGTHS,
    }),
    waits: metrics.histogram({
      ...named('request_wait_duration_seconds', 'Time for which requests were queued, by whether they were executed.'),
      labels: [...FLOW, 'execute'] as const,
      buckets: SECONDS,
    }),
    executions: metrics.histogram({
      ...named('request_execution_seconds', 'Time for which requests were executed; for watches, until they began.'),
      labels: [...FLOW, 'type'] as const,
      buckets: SECONDS,
    }),
    estimates: metrics.histogram({
      ...named('work_estimated_seats', 'Estimated number of seats that requests need.'),
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
  const nominal = gauge('nominal_limit_seats', "Number of seats that follow from the level's shares.");
  const limit = gauge('request_concurrency_limit', 'The same as nominal_limit_seats, under its older name.');
  const least = gauge('lower_limit_seats', 'Number of seats that other levels cannot borrow.');
  const most = gauge('upper_limit_seats', 'Number of seats of the level, including all that it may borrow.');
  const current = gauge('current_limit_seats', 'Number of seats that the priority level has at present.');
  const target = gauge('target_seats', 'Number of seats that the level could use.');
  const highest = gauge(
    'demand_seats_high_watermark',
    'Maximum demand for seats since seats were last divided among levels.',
  );
  const average = gauge('demand_seats_average', 'Average demand for seats since seats were last divided among levels.');
  const deviation = gauge(
    'demand_seats_stdev',
    'Standard deviation of the demand for seats since seats were last divided among levels.',
  );
  const smoothed = gauge('demand_seats_smoothed', 'Smoothed demand for seats, by which seats are divided.');
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
