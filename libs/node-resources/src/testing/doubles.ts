import type { EventSink } from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';
import type { NodeUsage, PodUsage } from '../usage/usage.js';

/** Size of a file system in tests; 100,000 bytes of which half are free. */
export const FILESYSTEM = {
  capacityBytes: 100_000,
  availableBytes: 50_000,
  usedBytes: 50_000,
  inodes: 1_000,
  inodesFree: 500,
  device: 1,
};

/** A node that has enough of everything. */
export const CALM: NodeUsage = {
  ...{ at: 0, startedAt: 0, cpu: { usageCoreNanoseconds: 0 } },
  memory: {
    ...{ capacityBytes: 1_000_000, usageBytes: 600_000, availableBytes: 500_000, workingSetBytes: 500_000 },
    ...{ rssBytes: 400_000, pageFaults: 10, majorPageFaults: 1 },
  },
  nodefs: FILESYSTEM,
  imagefs: FILESYSTEM,
  hasOwnImagefs: false,
  processes: { max: 1_000, running: 100 },
};

/** Returns a pod. @param request memory that its container requests; absent: none */
export function testPod(name: string, request?: string, more: Pod['spec'] = {}): Pod {
  const resources = request === undefined ? {} : { requests: { memory: request } };
  return {
    metadata: { name, namespace: 'default', uid: name },
    spec: { containers: [{ name: 'c', image: 'i', resources }], ...more },
  };
}

/** Returns the usage of a pod with one container. */
export function testUsage(uid: string, memory: number, disk = 0, volume = 0, processes = 1): PodUsage {
  const statistics = {
    id: uid,
    metadata: { name: 'c', attempt: 0 },
    labels: {},
    annotations: {},
    memory: { at: 0, workingSetBytes: memory },
    writableLayer: { at: 0, mountpoint: '/', usedBytes: disk, inodesUsed: 1 },
  };
  return {
    ...{ uid, name: uid, namespace: 'default', processes },
    containers: [{ name: 'c', statistics, logs: { bytes: 0, inodes: 0 } }],
    volumes: [{ name: 'v', bytes: volume, inodes: 1 }],
  };
}

/** Events as `Reason: message`. */
export class TestEvents implements EventSink {
  /** All so far. */
  readonly all: string[] = [];

  /** Reports about a pod. */
  ofPod(pod: Pod, _type: string, reason: string, message: string): void {
    this.all.push(`${pod.metadata?.name} ${reason}: ${message}`);
  }

  /** Reports about the node. */
  ofNode(_type: string, reason: string, message: string): void {
    this.all.push(`${reason}: ${message}`);
  }
}
