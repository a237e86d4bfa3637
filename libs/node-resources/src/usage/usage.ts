import type { ContainerStatistics } from '@orch/container-runtime';
import type { NodeCpu } from './cpu-meter.js';
import type { FilesystemSize, TreeSize } from './host-files.js';

/** Memory of the node; bytes. */
export interface NodeMemory {
  /** All that the machine has. */
  readonly capacityBytes: number;
  /** Memory that can be given away without swapping: the capacity without the working set. */
  readonly availableBytes: number;
  /** Memory in use, file pages among it. */
  readonly usageBytes: number;
  /** Memory in use, without file pages that are not used any more. */
  readonly workingSetBytes: number;
  /** Memory of processes that is of no file. */
  readonly rssBytes: number;
  /** Page faults since the machine was started. */
  readonly pageFaults: number;
  /** Page faults for which something was read from a disk. */
  readonly majorPageFaults: number;
}

/** Usage of the node as a whole. */
export interface NodeUsage {
  /** Milliseconds since 1970 at which it was measured. */
  readonly at: number;
  /** Milliseconds since 1970 at which the machine was started. */
  readonly startedAt: number;
  /** CPU time. */
  readonly cpu: NodeCpu;
  /** Memory. */
  readonly memory: NodeMemory;
  /** File system of the agent's folder: volumes and logs. */
  readonly nodefs: FilesystemSize;
  /** File system of images and of what containers write; `nodefs` if the runtime has none of its own. */
  readonly imagefs: FilesystemSize;
  /** Whether images have a file system of their own. */
  readonly hasOwnImagefs: boolean;
  /** Processes and threads: how many there may be, and how many there are. */
  readonly processes: { readonly max: number; readonly running: number };
}

/** Usage of a container. */
interface ContainerUsage {
  /** Name in the pod. */
  readonly name: string;
  /** Measurements of the runtime. */
  readonly statistics: ContainerStatistics;
  /** Its log files. */
  readonly logs: TreeSize;
}

/** Usage of a volume, and of the file system that it is on; bytes and counts. */
export interface VolumeUsage {
  /** Name of the volume in its pod. */
  readonly name: string;
  /** Milliseconds since 1970 at which it was measured. */
  readonly at: number;
  /** Size of its file system. */
  readonly capacityBytes: number;
  /** Free for the pod. */
  readonly availableBytes: number;
  /** In use by the volume. */
  readonly usedBytes: number;
  /** Number of inodes of its file system. */
  readonly inodes: number;
  /** Free inodes. */
  readonly inodesFree: number;
  /** Inodes in use by the volume. */
  readonly inodesUsed: number;
}

/** Usage of a pod. */
export interface PodUsage {
  /** Uid of the pod. */
  readonly uid: string;
  /** Name of the pod. */
  readonly name: string;
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Its containers that run. */
  readonly containers: readonly ContainerUsage[];
  /** Its volumes of kind emptyDir. */
  readonly volumes: readonly (TreeSize & { readonly name: string })[];
  /** Its processes. */
  readonly processes: number;
}

/** Returns the working set of a pod, bytes. */
export const memoryOf = ({ containers }: PodUsage): number =>
  containers.reduce((sum, { statistics }) => sum + (statistics.memory?.workingSetBytes ?? 0), 0);

/** Kinds of files that a pod has: what containers write in their roots, logs, volumes. */
export type FileKind = 'roots' | 'logs' | 'volumes';

/** Returns the disk that files of a pod take. */
export function diskOf({ containers, volumes }: PodUsage, kinds: readonly FileKind[]): TreeSize {
  const roots = containers.map(({ statistics: { writableLayer: layer } }) => ({
    bytes: layer?.usedBytes ?? 0,
    inodes: layer?.inodesUsed ?? 0,
  }));
  const parts: Record<FileKind, readonly TreeSize[]> = { roots, logs: containers.map(({ logs }) => logs), volumes };
  return kinds
    .flatMap((kind) => parts[kind])
    .reduce((sum, { bytes, inodes }) => ({ bytes: sum.bytes + bytes, inodes: sum.inodes + inodes }), {
      bytes: 0,
      inodes: 0,
    });
}
