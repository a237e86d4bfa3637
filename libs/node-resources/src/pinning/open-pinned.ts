import { join } from 'node:path';
import type { Runtime } from '@orch/container-runtime';
import type { Clock, Logger } from '@orch/runtime';
import { type HostFiles, hostFiles } from '../usage/host-files.js';
import { noPolicy } from './checkpoint.js';
import { CpuManager, cpuCheckpointText } from './cpu-manager.js';
import { formatCpuSet, parseCpuSet } from './cpu-set.js';
import { readCpuTopology } from './cpu-topology.js';
import { memoryCheckpointText } from './memory-checkpoint.js';
import { MemoryManager } from './memory-manager.js';
import { type NodeMemoryAmounts, readMemoryTopology } from './memory-topology.js';
import { PinnedContainers } from './pinned-containers.js';

/** CPUs that containers get for themselves. */
interface CpuPolicy {
  /** `none` or `static`. */
  readonly policy: string;
  /** Thousandths of CPUs that are reserved for the agent and the system. */
  readonly reservedMilli: bigint;
  /** The reserved CPUs as the kernel writes them; empty: those with the lowest numbers. */
  readonly reservedCpus: string;
  /** Whether whole cores alone are given away. */
  readonly wholeCores: boolean;
}

/** Memory that containers get on NUMA nodes. */
interface MemoryPolicy {
  /** `None` or `Static`. */
  readonly policy: string;
  /** Bytes that no pod gets, by NUMA node and resource. */
  readonly reserved: ReadonlyMap<number, ReadonlyMap<string, number>>;
  /** Bytes of memory that the node keeps from pods: the reserved ones have to be as many. */
  readonly keptBytes: number;
}

/** Settings of {@link openPinnedContainers}. */
interface OpenSettings {
  /** Folder of the files of what was given away. */
  readonly folder: string;
  /** How CPUs are given away. */
  readonly cpus: CpuPolicy;
  /** How memory is given away. */
  readonly memory: MemoryPolicy;
  /** Runtime of the containers. */
  readonly runtime: Pick<Runtime, 'listContainers' | 'updateContainerResources'>;
  /** Returns the uids of the pods that may run; undefined as long as they are not all known. */
  readonly mayRun: () => ReadonlySet<string> | undefined;
  /** Interval at which the CPUs of containers are compared with those that they were given, ms. */
  readonly everyMs: number;
  /** Clock of the interval. */
  readonly clock: Clock;
  /** Logs updates that fail. */
  readonly logger: Logger;
  /** The machine; another one for tests. */
  readonly files?: HostFiles;
}

/** Opens what gives CPUs and memory to containers. @throws Error that names the option whose value cannot be had */
export async function openPinnedContainers(settings: OpenSettings): Promise<PinnedContainers> {
  const { runtime, mayRun, everyMs, clock, logger } = settings;
  const cpus = await named('--cpu-manager-policy', () => openCpus(settings));
  const memory = await named('--memory-manager-policy', () => openMemory(settings));
  return new PinnedContainers({
    ...{ ...(cpus && { cpus }), ...(memory && { memory }) },
    ...{ runtime, mayRun, everyMs, clock, logger },
  });
}

async function named<T>(option: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new Error(`${option}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function openCpus({ folder, cpus, files = hostFiles, logger }: OpenSettings): Promise<CpuManager | undefined> {
  const file = join(folder, 'cpu_manager_state');
  const { policy, reservedMilli, wholeCores } = cpus;
  if (policy === 'none') {
    noPolicy(file, { policyName: policy, defaultCpuSet: '' }, cpuCheckpointText);
    return undefined;
  }
  const reservedCpus = parseCpuSet(cpus.reservedCpus);
  // Parts of a CPU cannot be kept from others.
  const reserved = reservedCpus.size || Number((reservedMilli + 999n) / 1000n);
  if (reserved === 0)
    throw new Error(
      'the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero (--system-reserved, --kube-reserved or --reserved-cpus)',
    );
  const topology = await readCpuTopology(files);
  const known = { cpus: topology, reserved, ...(reservedCpus.size > 0 && { reservedCpus }) };
  const manager = new CpuManager({ ...known, wholeCores, file });
  logger.info('CPUs are given to containers for themselves', {
    ...{ reserved: formatCpuSet(manager.reserved), cpus: formatCpuSet(topology.map(({ id }) => id)) },
  });
  return manager;
}

async function openMemory({ folder, memory, files = hostFiles }: OpenSettings): Promise<MemoryManager | undefined> {
  const file = join(folder, 'memory_manager_state');
  const { policy, reserved, keptBytes } = memory;
  if (policy === 'None') {
    noPolicy(file, { policyName: policy, machineState: {} }, memoryCheckpointText);
    return undefined;
  }
  const nodes = await readMemoryTopology(files);
  checkReserved(nodes, reserved, keptBytes);
  return new MemoryManager({ nodes, reserved, file });
}

/** Checks that as much is reserved on NUMA nodes as the node keeps from pods as a whole. @throws Error */
function checkReserved(nodes: readonly NodeMemoryAmounts[], reserved: MemoryPolicy['reserved'], kept: number): void {
  const known = new Map(nodes.map(({ id, bytes }) => [id, bytes]));
  const totals = new Map<string, number>([['memory', 0]]);
  for (const [node, amounts] of reserved)
    for (const [resource, bytes] of amounts) {
      const all = known.get(node)?.get(resource);
      if (all === undefined) throw new Error(`--reserved-memory: the NUMA node ${node} has no ${resource}`);
      if (bytes > all) throw new Error(`--reserved-memory: the NUMA node ${node} has ${all} bytes of ${resource}`);
      totals.set(resource, (totals.get(resource) ?? 0) + bytes);
    }
  if (totals.get('memory') === 0) throw new Error('you should specify the system reserved memory (--reserved-memory)');
  for (const [resource, bytes] of totals) {
    const wanted = resource === 'memory' ? kept : 0;
    if (bytes !== wanted)
      throw new Error(
        `the total amount "${bytes}" of type "${resource}" of --reserved-memory is not equal to the value "${wanted}" of --kube-reserved, --system-reserved and --eviction-hard`,
      );
  }
}
