import { setTimeout as pause } from 'node:timers/promises';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import { inNamespace, type Resource } from '../resource.js';
import { median } from '../summary.js';
import type { RowGroup, TableBench } from './bench.js';
import type { Side } from './sides.js';

const LISTED = 10_000;
/** Lists of one round that are counted, and those before. */
const [TIMES, WARM_TIMES] = [7, 2];
const MEMORY_MS = 60_000;

const VERSIONS = [
  { title: 'unset version', query: '' },
  { title: 'resourceVersion=0', query: '?resourceVersion=0' },
];

/** Returns the rows of lists. The floor sends one prepared buffer. */
export function listGroup(bench: TableBench): RowGroup {
  const resources = new Map<Side, Resource>();
  const count = bench.scaled(LISTED);
  let listBytes = 0;
  const list = async (side: Side, resource: Resource, query: string, title: string): Promise<Measurement[]> => {
    const { endpoint, processes } = side.target;
    const load = { endpoint, path: resource.path + query };
    await bench.worker.call('fetchAll', { ...load, times: WARM_TIMES });
    const before = processes.cpuMicroseconds();
    const { bytes, milliseconds } = await bench.worker.call('fetchAll', { ...load, times: TIMES });
    const cpu = processes.cpuMicroseconds() - before;
    if (!side.floor) listBytes ||= bytes;
    const name = `list of ${count.toLocaleString('en')}, ${title}`;
    return [
      { name, unit: 'ms', value: median(milliseconds) },
      { name: `${name}: server CPU`, unit: 'ms each', value: cpu / 1e3 / TIMES },
    ];
  };
  return {
    ...{ name: 'list', isWarm: true },
    async prepare(side) {
      const { endpoint, resource } = side.target;
      const filled = await inNamespace(endpoint, resource, `${bench.settings.run}-list`);
      if (!side.floor) await fill(bench.worker, { endpoint, resource: filled }, count);
      resources.set(side, filled);
    },
    async measure(side) {
      await side.floor?.shape({ list: listBytes });
      const rows: Measurement[] = [];
      for (const { title, query } of VERSIONS)
        rows.push(...(await list(side, resources.get(side) ?? side.target.resource, query, title)));
      return rows;
    },
  };
}

/** Returns the row of memory a minute after everything else. The floor, which holds nothing, has none. */
export function memoryGroup(bench: TableBench): RowGroup {
  let minute: Promise<unknown> | undefined;
  return {
    ...{ name: 'memory', isWarm: false, isOnce: true },
    async measure({ target, floor }) {
      if (floor) return [];
      minute ??= pause(MEMORY_MS * Math.min(1, bench.settings.scale));
      await minute;
      const value = target.processes.proportionalBytes() / 2 ** 20;
      return [{ name: 'memory a minute after all of it (Pss)', unit: 'MiB', value }];
    },
  };
}
