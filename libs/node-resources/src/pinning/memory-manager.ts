import { amountsOf, type PodContainer, qosClassOf, uidOf } from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';
import { readCheckpoint, writeCheckpoint } from './checkpoint.js';
import { formatCpuSet } from './cpu-set.js';
import { type MemoryBlock, type MemoryCheckpoint, memoryCheckpointText, type NodeState } from './memory-checkpoint.js';
import type { NodeMemoryAmounts } from './memory-topology.js';
import { type PinningRefusal, refusalOf } from './refusal.js';

/** Settings of {@link MemoryManager}. */
interface MemoryManagerSettings {
  /** Memory of the machine. */
  readonly nodes: readonly NodeMemoryAmounts[];
  /** Bytes that no pod gets, by NUMA node and resource. */
  readonly reserved: ReadonlyMap<number, ReadonlyMap<string, number>>;
  /** File of what was given away. */
  readonly file: string;
}

const POLICY = 'Static';

/** Binds the memory of containers of Guaranteed pods to one NUMA node each, which has it free. */
export class MemoryManager {
  readonly #nodes: ReadonlyMap<number, NodeState>;
  /** Memory of containers, by uid of the pod and name. */
  readonly #given = new Map<string, Map<string, readonly MemoryBlock[]>>();

  /** Reads what was given away before. @throws Error for a file that does not fit */
  constructor(private readonly settings: MemoryManagerSettings) {
    const { nodes, reserved, file } = settings;
    this.#nodes = new Map(nodes.map((node) => [node.id, stateOf(node, reserved.get(node.id) ?? new Map())]));
    const known = readCheckpoint<MemoryCheckpoint & { checksum: number }>(file, POLICY, memoryCheckpointText);
    for (const [uid, containers] of Object.entries(known?.entries ?? {}))
      for (const [name, blocks] of Object.entries(containers)) this.#note(uid, name, blocks);
    this.#save();
  }

  /** Gives a pod its memory, or leaves it what it has. @returns why it cannot have it; undefined if it can */
  allocate(pod: Pod): PinningRefusal | undefined {
    if (qosClassOf(pod) !== 'Guaranteed') return undefined;
    const { containers = [], initContainers = [] } = pod.spec ?? {};
    const before = this.#given.has(uidOf(pod));
    const reusable = new Map<string, number>();
    try {
      for (const container of initContainers) this.#give(pod, container, reusable, true);
      for (const container of containers) this.#give(pod, container, reusable, false);
      return undefined;
    } catch (error) {
      if (!before) this.#release(uidOf(pod));
      return refusalOf(error);
    } finally {
      this.#save();
    }
  }

  /** Takes back the memory of all pods but those that may run. */
  keepOnly(uids: ReadonlySet<string>): void {
    const gone = [...this.#given.keys()].filter((uid) => !uids.has(uid));
    for (const uid of gone) this.#release(uid);
    if (gone.length > 0) this.#save();
  }

  /** Returns the NUMA nodes of a container's memory, as the kernel writes them; undefined for any. */
  nodesOf(uid: string, container: string): string | undefined {
    const blocks = this.#given.get(uid)?.get(container);
    return blocks && formatCpuSet(new Set(blocks.flatMap(({ numaAffinity }) => numaAffinity)));
  }

  /** @param reusable memory of init containers that have ended when this one starts, by node and resource */
  #give(pod: Pod, container: PodContainer, reusable: Map<string, number>, isInit: boolean): void {
    const { name = '' } = container;
    if (this.#given.get(uidOf(pod))?.has(name)) return;
    const wanted = requestsOf(container);
    const missing = (node: number, [resource, bytes]: readonly [string, number]) =>
      Math.max(bytes - (reusable.get(`${node} ${resource}`) ?? 0), 0);
    const fitting = [...this.#nodes].find(([node, { memoryMap }]) =>
      wanted.every((entry) => missing(node, entry) <= (memoryMap[entry[0]]?.free ?? 0)),
    );
    if (!fitting)
      throw new Error(
        '[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available',
      );
    const [node] = fitting;
    const blocks = wanted.map(([type, bytes]) => ({
      numaAffinity: [node],
      ...{ type, size: missing(node, [type, bytes]) },
    }));
    for (const [resource, bytes] of wanted) {
      const left = reusable.get(`${node} ${resource}`) ?? 0;
      reusable.set(`${node} ${resource}`, isInit ? Math.max(left, bytes) : Math.max(left - bytes, 0));
    }
    this.#note(uidOf(pod), name, blocks);
  }

  #note(uid: string, name: string, blocks: readonly MemoryBlock[]): void {
    for (const block of blocks) this.#move(block, block.size);
    const own = this.#given.get(uid) ?? new Map<string, readonly MemoryBlock[]>();
    this.#given.set(uid, own.set(name, blocks));
  }

  #release(uid: string): void {
    for (const blocks of this.#given.get(uid)?.values() ?? [])
      for (const block of blocks) this.#move(block, -block.size);
    this.#given.delete(uid);
  }

  /** @param bytes that are taken; negative for those that are given back */
  #move({ numaAffinity, type }: MemoryBlock, bytes: number): void {
    for (const id of numaAffinity) {
      const node = this.#nodes.get(id);
      const table = node?.memoryMap[type];
      if (!node || !table || table.free < bytes)
        throw new Error(
          `[memorymanager] the expected machine state is different from the real one; please drain this node and delete the file ${this.settings.file}`,
        );
      table.free -= bytes;
      table.reserved += bytes;
      node.numberOfAssignments += Math.sign(bytes);
    }
  }

  #save(): void {
    const entries = [...this.#given].map(([uid, containers]) => [uid, Object.fromEntries(containers)] as const);
    const checkpoint: MemoryCheckpoint = {
      ...{ policyName: POLICY, machineState: Object.fromEntries(this.#nodes) },
      ...(entries.length > 0 && { entries: Object.fromEntries(entries) }),
    };
    writeCheckpoint(this.settings.file, checkpoint, memoryCheckpointText);
  }
}

function stateOf({ id, bytes }: NodeMemoryAmounts, reserved: ReadonlyMap<string, number>): NodeState {
  const pages = [...bytes].filter(([resource]) => resource !== 'memory').reduce((sum, [, size]) => sum + size, 0);
  const memoryMap = Object.fromEntries(
    [...bytes].map(([resource, total]) => {
      const systemReserved = reserved.get(resource) ?? 0;
      const allocatable = Math.max(total - systemReserved - (resource === 'memory' ? pages : 0), 0);
      return [resource, { total, systemReserved, allocatable, reserved: 0, free: allocatable }];
    }),
  );
  return { numberOfAssignments: 0, memoryMap, cells: [id] };
}

/** Returns the bytes of memory and huge pages that a container requests; a request that is not written is the limit. */
function requestsOf({ resources }: PodContainer): (readonly [string, number])[] {
  const amounts = new Map([...amountsOf(resources?.limits), ...amountsOf(resources?.requests)]);
  return [...amounts]
    .filter(([resource]) => resource === 'memory' || resource.startsWith('hugepages-'))
    .map(([resource, amount]) => [resource, Number(amount)] as const);
}
