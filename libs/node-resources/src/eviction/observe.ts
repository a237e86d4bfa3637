import type { EvictionSignal } from '@orch/pod-environment';
import { memoryOf, type NodeUsage, type PodUsage } from '../usage/usage.js';
import type { Observations, SignalAmount } from './thresholds.js';

/** Returns what is available of everything that has thresholds. @param podMemory memory that pods can have, bytes */
export function observationsOf(node: NodeUsage, pods: Iterable<PodUsage>, podMemory: number): Observations {
  const { memory, nodefs, imagefs, processes } = node;
  const used = [...pods].reduce((sum, pod) => sum + memoryOf(pod), 0);
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
