import type { ContainerMetadata } from './containers.js';
import type { FilesystemUsage } from './images.js';
import type { SandboxMetadata } from './sandboxes.js';
import type { StringMap } from './string-map.js';

/** CPU time used. */
export interface CpuUsage {
  /** Milliseconds since 1970 at which it was measured. */
  readonly at: number;
  /** Nanoseconds on all cores since the container was created. */
  readonly usageCoreNanoseconds: number;
  /** Nanoseconds of CPU per second over the last interval, if the runtime computes it. */
  readonly usageNanoCores?: number;
}

/** Memory in use; bytes. */
export interface MemoryUsage {
  /** Milliseconds since 1970 at which it was measured. */
  readonly at: number;
  /** Memory that cannot be reclaimed easily: usage without inactive file pages. */
  readonly workingSetBytes: number;
  /** Bytes left below the limit. */
  readonly availableBytes?: number;
  /** Memory of the cgroup with all file pages. */
  readonly usageBytes?: number;
  /** Anonymous memory. */
  readonly rssBytes?: number;
  /** Count. */
  readonly pageFaults?: number;
  /** Count. */
  readonly majorPageFaults?: number;
}

/** Usage of one container; absent parts are not measured. */
export interface ContainerStatistics {
  /** Id, unique in the runtime. */
  readonly id: string;
  /** Identity as in the settings. */
  readonly metadata: ContainerMetadata;
  /** Labels, by which lists select. */
  readonly labels: StringMap;
  /** Annotations, kept as they are. */
  readonly annotations: StringMap;
  /** CPU time. */
  readonly cpu?: CpuUsage;
  /** Memory in use. */
  readonly memory?: MemoryUsage;
  /** Files that the container has written in its root. */
  readonly writableLayer?: FilesystemUsage;
}

/** Traffic of a network interface; bytes and counts since it was created. */
export interface NetworkUsage {
  /** Name of the interface in the sandbox. */
  readonly name: string;
  /** Bytes received. */
  readonly rxBytes: number;
  /** Errors on receiving; count. */
  readonly rxErrors: number;
  /** Bytes sent. */
  readonly txBytes: number;
  /** Errors on sending; count. */
  readonly txErrors: number;
}

/** Usage of one sandbox with its containers; absent parts are not measured. */
export interface SandboxStatistics {
  /** Id, unique in the runtime. */
  readonly id: string;
  /** Identity as in the settings. */
  readonly metadata: SandboxMetadata;
  /** Labels, by which lists select. */
  readonly labels: StringMap;
  /** Annotations, kept as they are. */
  readonly annotations: StringMap;
  /** CPU time. */
  readonly cpu?: CpuUsage;
  /** Memory in use. */
  readonly memory?: MemoryUsage;
  /** Interfaces of the sandbox, the default one first. */
  readonly network?: readonly NetworkUsage[];
  /** Processes of all its containers. */
  readonly processCount?: number;
  /** Containers that run in it. */
  readonly containers: readonly ContainerStatistics[];
}

/** Conditions of a list of containers' statistics, all of which hold. */
export interface ContainerStatisticsFilter {
  /** Id of a container. */
  readonly id?: string;
  /** Id of the sandbox. */
  readonly sandboxId?: string;
  /** Labels that a container has. */
  readonly labels?: StringMap;
}

/** Conditions of a list of sandboxes' statistics, all of which hold. */
export interface SandboxStatisticsFilter {
  /** Id of a sandbox. */
  readonly id?: string;
  /** Labels that a sandbox has. */
  readonly labels?: StringMap;
}
