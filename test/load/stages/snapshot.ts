import { inDatabase } from '../../support/copies.js';
import type { Measurement } from '../report.js';
import { fill, type RequestWorker, withRequests } from '../requests.js';
import { inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';

const WRITES = 1_000_000;
/** Enough that nobody meets anybody; each is updated a hundred times. */
const OBJECTS = 10_000;
const REQUESTERS = 64;
/** Writes that are compared: before the snapshot, at its beginning, and at its end. */
const SAMPLE = 0.05;
const LONGEST_SECONDS = 7_200;

/** A million updates while a snapshot is open, as `pg_dump` has one: what the last cost to what they cost without. */
export async function snapshotStage(settings: StageSettings): Promise<Measurement[]> {
  const { target, run, scale } = settings;
  const { own } = target;
  if (!own) return [];
  const resource = await inNamespace(target.endpoint, target.resource, `${run}-snapshot`);
  const [writes, objects] = [Math.ceil(WRITES * scale), Math.ceil(OBJECTS * scale)];
  const sample = Math.ceil(writes * SAMPLE);
  return withRequests(async (worker) => {
    await fill(worker, { ...target, resource }, objects);
    const update = (count: number) => updates({ ...settings, target: { ...target, resource } }, worker, objects, count);
    await update(sample);
    const without = await update(sample);
    const [first, last] = await inDatabase(own.databaseDir, async (database) => {
      await database.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await database.query('SELECT FROM installation');
      const begun = await update(sample);
      await update(writes - 2 * sample);
      const ended = await update(sample);
      await database.query('COMMIT');
      return [begun, ended] as const;
    });
    const name = 'updates beside an open snapshot';
    return [
      { name: 'updates with no snapshot open', unit: '1/s', value: without.rate },
      { name: `${name}, at its beginning`, unit: '1/s', value: first.rate },
      { name: `${name}, after ${writes} updates`, unit: '1/s', value: last.rate },
      { name: `${name}: rate to that without`, unit: '×', value: last.rate / without.rate },
      { name: `${name}: server CPU to that without`, unit: '×', value: last.cpu / without.cpu },
    ];
  });
}

async function updates({ target }: StageSettings, worker: RequestWorker, objects: number, count: number) {
  const { endpoint, resource, processes } = target;
  const before = processes.cpuMicroseconds();
  const load = { verb: 'update', prefix: 'o', requesters: REQUESTERS, seconds: LONGEST_SECONDS } as const;
  const { done, failed, seconds } = await worker.call('run', { endpoint, resource, ...load, objects, count });
  if (failed > 0) throw new Error(`${failed} of ${done} updates failed`);
  return { rate: done / seconds, cpu: (processes.cpuMicroseconds() - before) / done };
}
