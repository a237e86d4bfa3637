import { withTraffic } from '../delivery.js';
import type { Receivers } from '../receivers.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { median, now } from '../summary.js';
import type { Target } from '../target.js';

const SIZE: HerdSize = { watchers: 200, objects: 2_000 };
const TIMES = 3;
const LIMIT_MS = 300_000;

/** Watchers that all start from nothing at once, as after a failure: the state of 2,000 objects to each of 200. */
export async function herdStage({ target, run }: StageSettings): Promise<Measurement[]> {
  const resource = await inNamespace(target.endpoint, target.resource, `${run}-herd`);
  return withTraffic(async ({ writer, receivers }) => {
    await fill(writer, { endpoint: target.endpoint, resource }, SIZE.objects);
    const herds: Herd[] = [];
    for (let time = 0; time < TIMES; time++) herds.push(await herd({ ...target, resource }, receivers, SIZE));
    const name = `herd, ${SIZE.watchers} watchers × ${SIZE.objects} objects`;
    return [
      { name, unit: 'ms', value: median(herds.map(({ took }) => took)) },
      { name: `${name}: server CPU`, unit: 'µs/event', value: median(herds.map(({ cpu }) => cpu)) },
    ];
  });
}

/** Watchers that start at once, and the objects that each gets. */
export interface HerdSize {
  readonly watchers: number;
  readonly objects: number;
}

interface Herd {
  /** Milliseconds from the first connection to the last byte. */
  readonly took: number;
  /** Server's CPU time an event, in microseconds. */
  readonly cpu: number;
}

/** Starts watchers of a collection from nothing, and waits until each has all objects. */
export async function herd(
  { endpoint, resource, processes }: Target,
  receivers: Receivers,
  { watchers, objects }: HerdSize,
): Promise<Herd> {
  const paths = [`${resource.path}?watch=1`];
  const cpu = processes.cpuMicroseconds();
  const start = now();
  await receivers.open({ endpoint, paths, watchers, atOnce: watchers, count: 'events' });
  let reading = await receivers.settled();
  while (reading.fewest < objects && now() - start < LIMIT_MS) reading = await receivers.settled();
  if (reading.fewest < objects) throw new Error(`a watcher got ${reading.fewest} of ${objects} objects`);
  await receivers.close();
  return { took: reading.last - start, cpu: (processes.cpuMicroseconds() - cpu) / reading.events };
}
