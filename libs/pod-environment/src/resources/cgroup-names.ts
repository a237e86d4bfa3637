import type { Pod } from '@orch/schema/types/core/v1';
import { uidOf } from '../identity.js';
import { type QosClass, qosClassOf } from './qos.js';

/** A cgroup as the path of its names from the root. */
export type CgroupName = readonly string[];

/** Owner of cgroups: this agent, or systemd, which has names of its own for them. */
export type CgroupDriver = 'cgroupfs' | 'systemd';

const ROOT = 'kubepods';
const CLASS_NAME: Readonly<Record<QosClass, readonly string[]>> = {
  Guaranteed: [],
  Burstable: ['burstable'],
  BestEffort: ['besteffort'],
};

/** Returns the name of the cgroup at a path such as `/a/b`. */
export const cgroupAt = (path: string): CgroupName => path.split('/').filter((part) => part !== '');

/** Returns the cgroup of all pods, or of those of a class of service. */
export const podsCgroup = (root: CgroupName, qos: QosClass = 'Guaranteed'): CgroupName => [
  ...root,
  ROOT,
  ...CLASS_NAME[qos],
];

/** Returns the cgroup of a pod. */
export const podCgroup = (root: CgroupName, pod: Pod): CgroupName => [
  ...podsCgroup(root, qosClassOf(pod)),
  `pod${uidOf(pod)}`,
];

/** Returns the path of a cgroup below the root of the hierarchies, as its driver names it. */
export function cgroupPath(name: CgroupName, driver: CgroupDriver): string {
  if (driver === 'cgroupfs' || name.length === 0) return `/${name.join('/')}`;
  // A slice is named by all those that it lies in: kubepods-burstable.slice in kubepods.slice.
  const parts = name.map((part) => part.replaceAll('-', '_'));
  return `/${parts.map((_part, at) => `${parts.slice(0, at + 1).join('-')}.slice`).join('/')}`;
}

/** Returns the uid of the pod whose cgroup has that last name; undefined for other cgroups. */
export function uidOfCgroup(name: string, driver: CgroupDriver): string | undefined {
  if (driver === 'cgroupfs') return /^pod(.+)$/.exec(name)?.[1];
  return /(?:^|-)pod([^-]+)\.slice$/.exec(name)?.[1]?.replaceAll('_', '-');
}
