import { age, grow } from '../bulk.js';
import { assertComplete, deliver, HOT_OBJECTS, type Traffic, watchPath, withTraffic } from '../delivery.js';
import type { Measurement } from '../report.js';
import { fill, type RequestWorker } from '../requests.js';
import { inNamespace, presentVersion } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { type Point, slopePerDecade } from '../slope.js';
import { median } from '../summary.js';

const STORED = [10_000, 100_000];
const STORED_IN_FULL = [...STORED, 1_000_000];
const WATCHERS_ASIDE = [0, 1_000, 5_000];
const CHANGES = [0, 10_000, 100_000];
/** Watchers of what is written to, and writes per second. */
const WATCHERS = 100;
const RATE = 100;
const REQUESTERS = 16;
/** A multiple of the writers. */
const LISTED = 496;
const LISTS = 20;
const WARM_SECONDS = 1;

/** Measures the cost of work while something else grows; the slope is relative to the first value, for each tenfold. */
export async function growthStage(settings: StageSettings): Promise<Measurement[]> {
  return withTraffic(async (traffic) => [
    ...(await withWatchersAside(settings, traffic)),
    ...(await withHistory(settings, traffic.writer)),
    ...(await withObjectsStored(settings, traffic.writer)),
  ]);
}

async function withWatchersAside(settings: StageSettings, traffic: Traffic): Promise<Measurement[]> {
  const { target, run, seconds, scale } = settings;
  const { endpoint } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-watched`);
  const aside = await inNamespace(endpoint, target.resource, `${run}-aside`);
  const watched = { ...target, resource };
  await fill(traffic.writer, watched, HOT_OBJECTS);
  await traffic.receivers.open({ endpoint, paths: [await watchPath(endpoint, resource)], watchers: WATCHERS });
  const load = { rate: RATE, count: 'bytes' } as const;
  await deliver(traffic, watched, { ...load, seconds: WARM_SECONDS });
  const events: Point[] = [];
  const creates: Point[] = [];
  return withTraffic(async ({ receivers: others }) => {
    let open = 0;
    for (const x of scaled(WATCHERS_ASIDE, scale)) {
      if (x > open) await others.open({ endpoint, paths: [await watchPath(endpoint, aside)], watchers: x - open });
      open = x;
      const delivery = await deliver(traffic, watched, { ...load, count: 'events', seconds });
      assertComplete(delivery);
      events.push({ x, y: delivery.cpu / delivery.reading.events });
      creates.push({ x, y: await createCost({ ...settings, target: watched }, traffic.writer, `aside-${x}`) });
    }
    return [
      ...growth(`event to ${WATCHERS} watchers at ${RATE} writes/s`, 'µs/event', 'watchers of other things', events),
      ...growth('create, each to 100 watchers', 'µs each', 'watchers of other things', creates),
    ];
  });
}

async function withObjectsStored(settings: StageSettings, worker: RequestWorker): Promise<Measurement[]> {
  const { run, full, scale } = settings;
  const resource = await inNamespace(settings.target.endpoint, settings.target.resource, `${run}-stored`);
  const target = { ...settings.target, resource };
  const creates: Point[] = [];
  let stored = 0;
  for (const x of scaled(full ? STORED_IN_FULL : STORED, scale)) {
    await grow(worker, target, `stored-${x}`, x - stored);
    stored = x;
    creates.push({ x, y: await createCost({ ...settings, target }, worker, `beside-${x}`) });
  }
  return growth('create', 'µs each', 'objects stored', creates);
}

/** Server CPU of a create in microseconds. */
async function createCost({ target, seconds }: StageSettings, worker: RequestWorker, prefix: string): Promise<number> {
  const { endpoint, resource, processes } = target;
  const load = { endpoint, resource, verb: 'create', objects: 1, requesters: REQUESTERS } as const;
  await worker.call('run', { ...load, prefix: `${prefix}-warm`, seconds: WARM_SECONDS });
  const before = processes.cpuMicroseconds();
  const { done, failed } = await worker.call('run', { ...load, prefix, seconds });
  if (failed > 0) throw new Error(`${failed} of ${done} creates failed`);
  return (processes.cpuMicroseconds() - before) / done;
}

async function withHistory({ target: base, run, scale }: StageSettings, worker: RequestWorker): Promise<Measurement[]> {
  const resource = await inNamespace(base.endpoint, base.resource, `${run}-history`);
  const target = { ...base, resource };
  const { endpoint, processes } = target;
  await fill(worker, target, LISTED);
  const lists: Point[] = [];
  const exact: Point[] = [];
  let changes = 0;
  for (const x of scaled(CHANGES, scale)) {
    await age(worker, target, 'o', LISTED, x - changes);
    changes = x;
    const version = await presentVersion(endpoint, resource);
    const timed = async (query: string) => {
      await worker.call('fetchAll', { endpoint, path: `${resource.path}${query}`, times: 2 });
      const cpu = processes.cpuMicroseconds();
      const { milliseconds } = await worker.call('fetchAll', {
        endpoint,
        path: `${resource.path}${query}`,
        times: LISTS,
      });
      return { cpu: (processes.cpuMicroseconds() - cpu) / 1000 / LISTS, wall: median(milliseconds) };
    };
    lists.push({ x, y: (await timed('')).wall });
    await age(worker, target, 'o', LISTED, LISTED);
    exact.push({ x, y: (await timed(`?resourceVersion=${version}&resourceVersionMatch=Exact`)).wall });
  }
  return [
    ...growth(`list of ${LISTED}`, 'ms', 'changes kept', lists),
    ...growth(`list of ${LISTED} at the version before the last ${LISTED} changes`, 'ms', 'changes kept', exact),
  ];
}

function scaled(sizes: readonly number[], scale: number): number[] {
  return sizes.map((size) => Math.round(size * scale));
}

function growth(name: string, unit: string, what: string, points: readonly Point[]): Measurement[] {
  const rows = points.map(({ x, y }) => ({ name: `${name}, ${x} ${what}`, unit, value: y }));
  return [
    ...rows,
    { name: `${name}: change for each tenfold of ${what}`, unit: '%', value: 100 * slopePerDecade(points) },
  ];
}
