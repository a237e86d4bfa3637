import type { EvictionSignal } from '@orch/pod-environment';
import type { NodeUsage } from '../usage/usage.js';
import type { Observations, SignalAmount } from './thresholds.js';

/**
 * Returns what is available of everything that has thresholds.
 * @param used memory that pods use, bytes
 * @param podMemory memory that pods can have, bytes
 */
export function observationsOf(node: NodeUsage, used: number, podMemory: number): Observations {
  const { memory, nodefs, imagefs, processes } = node;
  const all: [EvictionSignal, SignalAmount][] = [
    ['memory.available', { available: memory.availableBytes, capacity: memory.capacityBytes }],
    ['allocatableMemory.available', { available: podMemory - used, capacity: podMemory }],
    ['nodefs.available', { available: nodefs.availableBytes, capacity: nodefs.capacityBytes }],
    ['nodefs.inodesFree', { available: nodefs.inodesFree, capacity: nodefs.inodes }],
    ['imagefs.available', { available: imagefs.availableBytes, capacity: imagefs.capacityBytes }],
    ['imagefs.inodesFree', { available: imagefs.inodesFree, capacity: imagefs.inodes }],
    ['pid.available', { available: processes.max - processes.running, capacity: processes.max }],
  ];
  // File systems that count no inodes, and machines that tell nothing, have no threshold to exceed.
  return new Map(all.filter(([, { capacity }]) => capacity > 0));
}
