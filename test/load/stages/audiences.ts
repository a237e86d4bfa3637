import { deliver, type Traffic, watchPath, withTraffic } from '../delivery.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import { coreResource, inNamespace, type Resource } from '../resource.js';
import type { StageSettings } from '../settings.js';

const WATCHERS = 5_000;
/** Writes per second, each of which concerns one watcher. */
const RATE = 300;
/** Objects written to at most; as many as a multiple of the writers, and each has its watcher. */
const OBJECTS = 320;
const WRITERS = 16;
/** Lets a server compile what it is about to run. */
const WARM_SECONDS = 2;

/**
 * 5,000 watchers each of which selects an object of its own, where an event concerns one of them: what a write costs
 * beside one watcher of everything, without them and with them.
 */
export async function audiencesStage(settings: StageSettings): Promise<Measurement[]> {
  const { run, target, scale } = settings;
  const watchers = Math.round(WATCHERS * scale);
  const named = await inNamespace(target.endpoint, target.resource, `${run}-names`);
  const inPods = await inNamespace(target.endpoint, target.resource, `${run}-nodes`);
  const pods = await coreResource(target.endpoint, inPods, 'Pod');
  return [
    ...(await sparse(settings, named, 'metadata.name', watchers)),
    ...(pods
      ? await sparse(settings, pods, 'spec.nodeName', watchers)
      : [difference('spec.nodeName', watchers, Number.NaN)]),
  ];
}

const difference = (field: string, watchers: number, value: number): Measurement => ({
  name: `${watchers} watchers by ${field}: server CPU that they add`,
  unit: 'µs/event',
  value,
});

async function sparse(
  settings: StageSettings,
  resource: Resource,
  field: string,
  watchers: number,
): Promise<Measurement[]> {
  const target = { ...settings.target, resource };
  const { endpoint } = target;
  const objects = Math.min(OBJECTS, Math.floor(watchers / WRITERS) * WRITERS);
  const measured = (traffic: Traffic) => perWrite({ ...settings, target }, traffic, objects);
  return withTraffic(async (traffic) => {
    await fill(traffic.writer, target, objects);
    await traffic.receivers.open({ endpoint, paths: [await watchPath(endpoint, resource)], watchers: 1 });
    const before = await measured(traffic);
    const path = await watchPath(endpoint, resource);
    const withThem = await withTraffic(async ({ receivers }) => {
      // The selected objects come first, so that each write concerns one watcher beside the one of everything.
      const paths = Array.from({ length: watchers }, (_, index) => `${path}&fieldSelector=${field}%3Do-${index}`);
      await receivers.open({ endpoint, paths, watchers });
      return measured({ ...traffic, receivers });
    });
    // Once before and once after: a server gets faster as it goes on, and a machine is not always equally busy.
    const after = await measured(traffic);
    const without = (before.cpu + after.cpu) / 2;
    const name = `${watchers} watchers by ${field}, ${RATE} writes/s`;
    return [
      { name: `${name}: server CPU without them`, unit: 'µs/write', value: without },
      { name: `${name}: server CPU`, unit: 'µs/write', value: withThem.cpu },
      { name: `${name}: latency p50`, unit: 'ms', value: withThem.p50 },
      { name: `${name}: latency p99`, unit: 'ms', value: withThem.p99 },
      difference(field, watchers, withThem.cpu - without),
    ];
  });
}

async function perWrite({ target, seconds }: StageSettings, traffic: Traffic, objects: number) {
  const load = { rate: RATE, count: 'latency', objects } as const;
  await deliver(traffic, target, { ...load, seconds: WARM_SECONDS });
  const { cpu, writes, reading } = await deliver(traffic, target, { ...load, seconds });
  if (reading.events < writes || reading.ended > 0) {
    throw new Error(`${reading.events} events of ${writes} writes, ${reading.ended} streams ended`);
  }
  return { cpu: cpu / writes, ...reading.latency };
}
