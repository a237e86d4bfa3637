import type { StringMap } from './string-map.js';

/** Limits of a container's cgroup; absent fields are not set. */
export interface LinuxResources {
  /** Period of the CPU quota, microseconds. */
  readonly cpuPeriod?: number;
  /** CPU time in each period, microseconds; -1 for unlimited. */
  readonly cpuQuota?: number;
  /** Relative weight, 2 to 262144. */
  readonly cpuShares?: number;
  /** Bytes. */
  readonly memoryLimit?: number;
  /** Bytes of memory and swap together. */
  readonly memorySwapLimit?: number;
  /** -1000 to 1000. */
  readonly oomScoreAdj?: number;
  /** CPUs as `0-2,7`. */
  readonly cpusetCpus?: string;
  /** Memory nodes as `0-2,7`. */
  readonly cpusetMems?: string;
  /** Bytes by size of page, as `2MB`. */
  readonly hugepageLimits?: readonly { readonly pageSize: string; readonly limit: number }[];
  /** Files of cgroup v2 and their contents. */
  readonly unified?: StringMap;
  /** Processes and threads; no field of CRI, where the cgroup of the pod bounds them. */
  readonly pidsLimit?: number;
}
