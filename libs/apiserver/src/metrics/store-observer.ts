import type { Metrics, Tracing } from '@orch/runtime';
import { COUNT_BUCKETS, LATENCY_BUCKETS } from '@orch/runtime';
import { RequestTrail } from '@orch/serving';
import type { LeaseState, PoolStats, StoreBatch, StoreObserver } from '@orch/storage';

const LANE = ['lane'] as const;

/** Counts and times batches of the database, reports to requests how long their writes took, and traces batches. */
export function storeObserver(
  metrics: Metrics,
  tracing: Tracing | undefined,
): Required<Omit<StoreObserver, 'migration' | 'clockRead'>> {
  const seriesOf = laneSeries(metrics);
  const snapshots = metrics.histogram({
    name: 'orch_store_snapshot_begin_seconds',
    help: 'Time until the first rows of a snapshot arrived, for a list or to load a type.',
    labels: [] as const,
    buckets: LATENCY_BUCKETS,
  });
  const failures = metrics.counter({
    name: 'orch_store_connect_failures_total',
    help: 'Number of failed attempts to connect to the database.',
    labels: [] as const,
  });
  return {
    async batch(batch, work) {
      const series = seriesOf[batch.lane];
      for (const ms of batch.waited) series.wait.observe(ms / 1000);
      series.calls.observe(batch.size);
      const began = performance.now();
      try {
        return await (tracing ? traced(tracing, batch, work) : work());
      } catch (error) {
        series.failures.inc();
        throw error;
      } finally {
        const took = performance.now() - began;
        series.duration.observe(took / 1000);
        tellRequests(batch, took);
      }
    },
    snapshot: (ms) => snapshots.with().observe(ms / 1000),
    connectFailed: () => failures.with().inc(),
  };
}

function laneSeries(metrics: Metrics) {
  const wait = metrics.histogram({
    name: 'orch_store_batch_wait_seconds',
    help: 'Time that a call waited for the batch before it; for writes, for the group commit under way.',
    labels: LANE,
    buckets: LATENCY_BUCKETS,
  });
  const calls = metrics.histogram({
    name: 'orch_store_batch_calls',
    help: 'Number of calls that were sent to the database in one batch.',
    labels: LANE,
    buckets: COUNT_BUCKETS,
  });
  const duration = metrics.histogram({
    name: 'orch_store_batch_duration_seconds',
    help: 'Time from sending a batch to its answer; for writes, including the wait for the lanes and the commit.',
    labels: LANE,
    buckets: LATENCY_BUCKETS,
  });
  const failures = metrics.counter({
    name: 'orch_store_batch_failures_total',
    help: 'Number of failed batches.',
    labels: LANE,
  });
  const of = (lane: StoreBatch['lane']) => ({
    wait: wait.with(lane),
    calls: calls.with(lane),
    duration: duration.with(lane),
    failures: failures.with(lane),
  });
  return { write: of('write'), get: of('get'), heads: of('heads') };
}

function tellRequests({ origins, waited }: StoreBatch, tookMs: number): void {
  for (let at = 0; at < origins.length; at++) {
    const origin = origins[at];
    if (origin instanceof RequestTrail) origin.wrote(waited[at] ?? 0, tookMs);
  }
}

/** Traces a batch as one span, in the trace of its first recorded write, with references to the other writes. */
async function traced<R>(tracing: Tracing, { origins, waited, size }: StoreBatch, work: () => Promise<R>): Promise<R> {
  const causes: string[] = [];
  const now = performance.now();
  origins.forEach((origin, at) => {
    if (!(origin instanceof RequestTrail) || origin.span === undefined) return;
    causes.push(origin.span.traceparent);
    origin.span.part('wait', now - (waited[at] ?? 0), now);
  });
  const span = tracing.start('store batch', { causes, at: now, attributes: { 'orch.batch.writes': size } });
  if (span === undefined) return work();
  try {
    const result = await tracing.within(span, work);
    span.end();
    return result;
  } catch (error) {
    span.end({ error: error instanceof Error ? error.name : 'failed' });
    throw error;
  }
}

/** Gauges of the connections. */
export function observePools(metrics: Metrics, store: { pools(): readonly [name: string, PoolStats][] }): void {
  metrics.observedGauge(
    {
      name: 'orch_store_pool_connections',
      help: 'Number of connections to the database, by pool and state.',
      labels: ['pool', 'state'] as const,
    },
    () =>
      store
        .pools()
        .flatMap(([name, { open, idle }]) => [[[name, 'idle'], idle] as const, [[name, 'busy'], open - idle] as const]),
  );
  metrics.observedGauge(
    {
      name: 'orch_store_pool_waiting',
      help: 'Number of callers that wait for a connection to the database.',
      labels: ['pool'] as const,
    },
    () => store.pools().map(([name, { waiting }]) => [[name], waiting] as const),
  );
}

/** Reports which leases of the installation this process holds. */
export function observeLeases(metrics: Metrics, store: { leases(): readonly LeaseState[] }): void {
  metrics.observedGauge(
    {
      name: 'leader_election_master_status',
      help: '1 in the process that holds a lease of the installation, 0 in other processes that would take it.',
      labels: ['name'] as const,
    },
    () => store.leases().map(({ name, held }) => [[name], held ? 1 : 0] as const),
  );
}
