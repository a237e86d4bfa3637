import type { Measurement } from '../report.js';
import { fill, withRequests } from '../requests.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { now } from '../summary.js';
import type { Power } from '../target.js';
import { settledMemory } from './idle.js';

const OBJECTS = 10_000;
const UPDATES = 10_000;
const UPDATES_IN_FULL = 50_000;
const ROUNDS = 3;
const REQUESTERS = 16;
/** A multiple of the requesters. */
const UPDATED = 64;

/** Memory when idle and as writes go on; how long our server takes to be ready with data that is there. */
export async function processStage({ target, run, full }: StageSettings): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const idle = await settledMemory(target);
  const rows: Measurement[] = [{ name: 'RSS when idle', unit: 'MB', value: idle / 1e6 }];
  for (const [program, bytes] of processes.residentBytesByName()) {
    rows.push({ name: `RSS when idle: ${program}`, unit: 'MB', value: bytes / 1e6 });
  }
  const resource = await inNamespace(endpoint, target.resource, `${run}-process`);
  const count = full ? UPDATES_IN_FULL : UPDATES;
  await withRequests(async (worker) => {
    await fill(worker, { endpoint, resource }, OBJECTS);
    const load = {
      verb: 'update',
      prefix: 'o',
      objects: UPDATED,
      requesters: REQUESTERS,
      seconds: 600,
      count,
    } as const;
    for (let round = 1; round <= ROUNDS; round++) {
      const { failed } = await worker.call('run', { endpoint, resource, ...load });
      if (failed > 0) throw new Error(`${failed} updates failed`);
      rows.push({ name: `RSS after ${round * count} updates`, unit: 'MB', value: (await settledMemory(target)) / 1e6 });
    }
  });
  const name = `ready with ${OBJECTS} objects in the data directory`;
  return [...rows, { name, unit: 'ms', value: target.power ? await readyTime(target.power) : Number.NaN }];
}

/** Milliseconds from the start of a server until it is ready with the data that it has. */
export async function readyTime(power: Power): Promise<number> {
  await power.off();
  const start = now();
  await power.on();
  return now() - start;
}
