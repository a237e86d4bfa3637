import { join } from 'node:path';
import type { HostFiles } from '../usage/host-files.js';
import { parseCpuSet } from './cpu-set.js';

/** A CPU of the machine, and what it shares with others. */
export interface Cpu {
  /** Number of the CPU. */
  readonly id: number;
  /** Least number of the CPUs of its core. */
  readonly core: number;
  /** Number of its socket. */
  readonly socket: number;
  /** Number of its NUMA node. */
  readonly node: number;
}

const FOLDER = '/sys/devices/system';

/** Reads the CPUs that are on. What the machine does not tell is as on one with a socket of cores with one thread each. */
export async function readCpuTopology(files: Pick<HostFiles, 'read' | 'entries'>): Promise<Cpu[]> {
  const online = parseCpuSet((await files.read(join(FOLDER, 'cpu/online'))) ?? '0');
  const nodes = await nodesOfCpus(files);
  return Promise.all(
    [...online].map(async (id) => {
      const folder = join(FOLDER, `cpu/cpu${id}/topology`);
      const [socket = '0', siblings] = await Promise.all([
        files.read(join(folder, 'physical_package_id')),
        files.read(join(folder, 'thread_siblings_list')),
      ]);
      const core = siblings === undefined ? id : Math.min(...parseCpuSet(siblings));
      return { id, core, socket: Math.max(Number(socket), 0), node: nodes.get(id) ?? 0 };
    }),
  );
}

async function nodesOfCpus(files: Pick<HostFiles, 'read' | 'entries'>): Promise<Map<number, number>> {
  const nodes = new Map<number, number>();
  for (const node of await numaNodes(files))
    for (const cpu of parseCpuSet((await files.read(join(FOLDER, `node/node${node}/cpulist`))) ?? ''))
      nodes.set(cpu, node);
  return nodes;
}

/** Returns the numbers of the NUMA nodes of the machine. */
export async function numaNodes(files: Pick<HostFiles, 'entries'>): Promise<number[]> {
  const names = await files.entries(join(FOLDER, 'node'));
  const numbers = names.flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return numbers.length > 0 ? numbers.sort((a, b) => a - b) : [0];
}
