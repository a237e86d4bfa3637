import { mapText } from './checkpoint.js';

/** Bytes of a resource of a NUMA node. */
interface MemoryTable {
  /** All that there are. */
  readonly total: number;
  /** Bytes that no pod gets. */
  readonly systemReserved: number;
  /** Bytes that pods can get. */
  readonly allocatable: number;
  /** Bytes that pods have. */
  reserved: number;
  /** Bytes that no pod has. */
  free: number;
}

/** A NUMA node and what is given away of it. */
export interface NodeState {
  /** Number of blocks that containers have. */
  numberOfAssignments: number;
  /** Bytes by resource. */
  readonly memoryMap: Readonly<Record<string, MemoryTable>>;
  /** The node, with others of which one container has memory too. */
  readonly cells: readonly number[];
}

/** Memory of one resource that a container has. */
export interface MemoryBlock {
  /** NUMA nodes that it is on. */
  readonly numaAffinity: readonly number[];
  /** Resource. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/** Members of the file of the memory manager. */
export interface MemoryCheckpoint {
  /** Policy that wrote it. */
  readonly policyName: string;
  /** NUMA nodes by number. */
  readonly machineState: Readonly<Record<string, NodeState>>;
  /** Memory of containers, by uid of the pod and name. */
  readonly entries?: Readonly<Record<string, Readonly<Record<string, readonly MemoryBlock[]>>>>;
}

/** Returns the text that the sum of the file is made of. */
export const memoryCheckpointText = ({ policyName, machineState, entries = {} }: MemoryCheckpoint): string =>
  [
    `(*state.MemoryManagerCheckpoint){PolicyName:(string)${policyName}`,
    `MachineState:(state.NUMANodeMap)${mapText(numbered(machineState), nodeText)}`,
    `Entries:(state.ContainerMemoryAssignments)${mapText(Object.entries(entries), (own) => mapText(Object.entries(own), blocksText))}`,
    'Checksum:(checksum.Checksum)0}',
  ].join(' ');

const numbered = (nodes: Readonly<Record<string, NodeState>>) =>
  Object.entries(nodes).map(([id, node]) => [Number(id), node] as const);

const nodeText = ({ numberOfAssignments, memoryMap, cells }: NodeState): string =>
  `<*>{NumberOfAssignments:(int)${numberOfAssignments} MemoryMap:(map[v1.ResourceName]*state.MemoryTable)${mapText(Object.entries(memoryMap), tableText)} Cells:([]int)[${cells.join(' ')}]}`;

const tableText = ({ total, systemReserved, allocatable, reserved, free }: MemoryTable): string =>
  `<*>{TotalMemSize:(uint64)${total} SystemReserved:(uint64)${systemReserved} Allocatable:(uint64)${allocatable} Reserved:(uint64)${reserved} Free:(uint64)${free}}`;

const blocksText = (blocks: readonly MemoryBlock[]): string =>
  `[${blocks.map(({ numaAffinity, type, size }) => `{NUMAAffinity:([]int)[${numaAffinity.join(' ')}] Type:(v1.ResourceName)${type} Size:(uint64)${size}}`).join(' ')}]`;
