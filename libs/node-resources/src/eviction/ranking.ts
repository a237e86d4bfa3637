import { podAmounts } from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';
import { diskOf, type FileKind, memoryOf, type PodUsage } from '../usage/usage.js';
import type { Threshold } from './thresholds.js';

/** A pod that may be evicted, with its usage; pods that are not measured come first. */
export interface RankedPod {
  /** The pod. */
  readonly pod: Pod;
  /** Its usage. */
  readonly usage?: PodUsage;
}

type Compare = (a: RankedPod, b: RankedPod) => number;

const priorityOf = ({ pod }: RankedPod): number => Number(pod.spec?.priority ?? 0);

const byPriority: Compare = (a, b) => priorityOf(a) - priorityOf(b);

/** Orders pods by usage beyond what they request: those that exceed it first, then by priority, then by the excess. */
function byExcess(resource: string, used: (usage: PodUsage) => number): Compare {
  const excess = ({ pod, usage }: RankedPod) =>
    usage ? used(usage) - Number(podAmounts(pod, 'requests').get(resource) ?? 0n) : Number.POSITIVE_INFINITY;
  return (a, b) => Number(excess(b) > 0) - Number(excess(a) > 0) || byPriority(a, b) || compare(excess(b), excess(a));
}

const byProcesses: Compare = (a, b) => byPriority(a, b) || compare(processesOf(b), processesOf(a));

const processesOf = ({ usage }: RankedPod): number => usage?.processes ?? Number.POSITIVE_INFINITY;

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Files that a shortage of disk is relieved by. */
function kindsOf(signal: string, hasOwnImagefs: boolean): readonly FileKind[] {
  if (!hasOwnImagefs) return ['roots', 'logs', 'volumes'];
  return signal.startsWith('imagefs') ? ['roots'] : ['logs', 'volumes'];
}

/** Returns the candidates in the order in which they are evicted for a threshold. */
export function ranked(
  candidates: readonly RankedPod[],
  { signal }: Pick<Threshold, 'signal'>,
  hasOwnImagefs: boolean,
): RankedPod[] {
  const kinds = kindsOf(signal, hasOwnImagefs);
  const orders: Record<Threshold['signal'], Compare> = {
    'memory.available': byExcess('memory', memoryOf),
    'allocatableMemory.available': byExcess('memory', memoryOf),
    'nodefs.available': byExcess('ephemeral-storage', (usage) => diskOf(usage, kinds).bytes),
    'imagefs.available': byExcess('ephemeral-storage', (usage) => diskOf(usage, kinds).bytes),
    'nodefs.inodesFree': byExcess('inodes', (usage) => diskOf(usage, kinds).inodes),
    'imagefs.inodesFree': byExcess('inodes', (usage) => diskOf(usage, kinds).inodes),
    'pid.available': byProcesses,
  };
  return [...candidates].sort(orders[signal]);
}
