import { withTraffic } from '../delivery.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { now } from '../summary.js';

const WATCHERS = 200;
const OBJECTS = 2_000;
const LIMIT_MS = 300_000;

/** Watchers that all start from nothing at once, as after a failure: the state of 2,000 objects to each of 200. */
export async function herdStage({ target, run }: StageSettings): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-herd`);
  return withTraffic(async ({ writer, receivers }) => {
    await fill(writer, { endpoint, resource }, OBJECTS);
    const cpu = processes.cpuMicroseconds();
    const start = now();
    await receivers.open({
      endpoint,
      paths: [`${resource.path}?watch=1`],
      watchers: WATCHERS,
      atOnce: WATCHERS,
      count: 'events',
    });
    let reading = await receivers.settled();
    while (reading.fewest < OBJECTS && now() - start < LIMIT_MS) reading = await receivers.settled();
    if (reading.fewest < OBJECTS) throw new Error(`a watcher got ${reading.fewest} of ${OBJECTS} objects`);
    const name = `herd, ${WATCHERS} watchers × ${OBJECTS} objects`;
    return [
      { name, unit: 'ms', value: reading.last - start },
      { name: `${name}: server CPU`, unit: 'µs/event', value: (processes.cpuMicroseconds() - cpu) / reading.events },
    ];
  });
}
