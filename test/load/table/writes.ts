import type { Measurement } from '../report.js';
import { type Sample, sampleTitle, type Wire } from '../samples.js';
import type { RowGroup, TableBench } from './bench.js';
import type { Side } from './sides.js';

const REQUESTERS = 64;
const READERS = 32;
/** Objects that updates and gets go round; a multiple of the requesters. */
const OBJECTS = 64;
const COLD_CREATIONS = 3_000;

/** Returns the rows of the first creations after a start of the server. */
export function coldGroup(bench: TableBench): RowGroup {
  const sample: Sample = { kind: 'Lease', wire: 'json' };
  const count = bench.scaled(COLD_CREATIONS);
  const title = `the first ${count.toLocaleString('en')} creations after a start (Leases)`;
  return {
    ...{ name: 'cold', isWarm: false },
    async measure(side) {
      const { power, name } = side.target;
      if (!power) {
        process.stderr.write(`${name}: no cold rows without PEER_STOP and PEER_START\n`);
        return [];
      }
      const prefix = bench.prefix();
      // The namespace is there before the start.
      await bench.create(side, sample, bench.prefix(), 1);
      await power.off();
      await power.on();
      const load = { verb: 'create', requesters: REQUESTERS, objects: 1, count } as const;
      const { rows } = await bench.measure(side, title, sample, prefix, load);
      await bench.remove(side, sample, prefix, count);
      return rows;
    },
  };
}

/** Returns the groups of all writes in one form of bodies. */
export function writeGroups(bench: TableBench, wire: Wire): RowGroup[] {
  const lives = (['ConfigMap', 'Lease', 'Deployment', 'Pod'] as const).map((kind) => lifeGroup(bench, { kind, wire }));
  const statuses = (['Pod', 'Node'] as const).map((kind) => statusGroup(bench, { kind, wire, subresource: 'status' }));
  const creations = (['Event', 'EndpointSlice'] as const).map((kind) => creationGroup(bench, { kind, wire }));
  return [...lives, ...statuses, ...creations];
}

/** A kind's objects made, updated and deleted. */
function lifeGroup(bench: TableBench, sample: Sample, requesters = REQUESTERS): RowGroup {
  const title = requesters === 1 ? `${sampleTitle(sample)}, one requester` : sampleTitle(sample);
  return {
    ...{ name: title, isWarm: true },
    async measure(side) {
      const prefix = bench.prefix();
      const made = await creation(bench, side, `create ${title}`, sample, prefix, requesters);
      const update = { verb: 'update', requesters, objects: Math.min(OBJECTS, made.done) } as const;
      const updated = await bench.measure(side, `update ${title}`, sample, prefix, update);
      const all = { verb: 'delete', requesters, objects: 1, count: made.done } as const;
      const deleted = await bench.measure(side, `delete ${title}`, sample, prefix, all);
      return [...made.rows, ...updated.rows, ...deleted.rows];
    },
  };
}

/** Updates of the status of some objects. */
function statusGroup(bench: TableBench, sample: Sample): RowGroup {
  const title = `update ${sampleTitle(sample)}`;
  return {
    ...{ name: title, isWarm: true },
    measure: (side) =>
      withObjects(bench, side, sample, (prefix) =>
        bench.measure(side, title, sample, prefix, { verb: 'update', requesters: REQUESTERS, objects: OBJECTS }),
      ),
  };
}

function creationGroup(bench: TableBench, sample: Sample): RowGroup {
  const title = `create ${sampleTitle(sample)}`;
  return {
    ...{ name: title, isWarm: true },
    async measure(side) {
      const prefix = bench.prefix();
      const { done, rows } = await creation(bench, side, title, sample, prefix, REQUESTERS);
      await bench.remove(side, sample, prefix, done);
      return rows;
    },
  };
}

const creation = (bench: TableBench, side: Side, title: string, sample: Sample, prefix: string, requesters: number) =>
  bench.measure(side, title, sample, prefix, { verb: 'create', requesters, objects: 1 });

/** Returns the rows of ConfigMaps by one requester. */
export const loneGroup = (bench: TableBench): RowGroup => lifeGroup(bench, { kind: 'ConfigMap', wire: 'json' }, 1);

/** Returns the rows of gets. */
export function getGroup(bench: TableBench): RowGroup {
  const sample: Sample = { kind: 'ConfigMap', wire: 'json' };
  const title = `get ${sampleTitle(sample)}, ${READERS} requesters`;
  return {
    ...{ name: title, isWarm: true },
    measure: (side) =>
      withObjects(bench, side, sample, (prefix) =>
        bench.measure(side, title, sample, prefix, { verb: 'get', requesters: READERS, objects: OBJECTS }),
      ),
  };
}

/** Measures something with objects that are made before, and removed afterwards. */
async function withObjects(
  bench: TableBench,
  side: Side,
  { kind, wire }: Sample,
  measure: (prefix: string) => Promise<{ readonly rows: readonly Measurement[] }>,
): Promise<readonly Measurement[]> {
  const prefix = bench.prefix();
  await bench.create(side, { kind, wire }, prefix, OBJECTS);
  const { rows } = await measure(prefix);
  await bench.remove(side, { kind, wire }, prefix, OBJECTS);
  return rows;
}
