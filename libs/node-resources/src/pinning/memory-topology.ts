import { join } from 'node:path';
import type { HostFiles } from '../usage/host-files.js';
import { numaNodes } from './cpu-topology.js';

/** Memory of a NUMA node: bytes by resource, as `memory` and `hugepages-2Mi`. */
export interface NodeMemoryAmounts {
  /** Number of the node. */
  readonly id: number;
  /** Bytes that it has. */
  readonly bytes: ReadonlyMap<string, number>;
}

const FOLDER = '/sys/devices/system/node';

/** Reads the memory of the NUMA nodes of the machine. */
export async function readMemoryTopology(files: Pick<HostFiles, 'read' | 'entries'>): Promise<NodeMemoryAmounts[]> {
  const nodes = [];
  for (const id of await numaNodes(files)) {
    const folder = join(FOLDER, `node${id}`);
    const meminfo = (await files.read(join(folder, 'meminfo'))) ?? (await files.read('/proc/meminfo')) ?? '';
    const total = Number(/MemTotal:\s+(\d+) kB/.exec(meminfo)?.[1] ?? 0) * 1024;
    nodes.push({ id, bytes: new Map([['memory', total], ...(await hugePages(files, join(folder, 'hugepages')))]) });
  }
  return nodes;
}

async function hugePages(
  files: Pick<HostFiles, 'read' | 'entries'>,
  folder: string,
): Promise<(readonly [string, number])[]> {
  const found = [];
  for (const name of await files.entries(folder)) {
    const kib = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
    const pages = Number((await files.read(join(folder, name, 'nr_hugepages'))) ?? 0);
    if (kib > 0) found.push([`hugepages-${sizeName(kib)}`, kib * 1024 * pages] as const);
  }
  return found;
}

function sizeName(kib: number): string {
  if (kib % 2 ** 20 === 0) return `${kib / 2 ** 20}Gi`;
  return kib % 1024 === 0 ? `${kib / 1024}Mi` : `${kib}Ki`;
}
