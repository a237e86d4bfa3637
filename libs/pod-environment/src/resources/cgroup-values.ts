import type { LinuxResources } from '@orch/container-runtime';
import type { Pod } from '@orch/schema/types/core/v1';
import type { PodContainer } from '../identity.js';
import { amountsOf, podAmounts } from './amounts.js';
import { oomScoreAdjust, qosClassOf } from './qos.js';

/** Limits that the values of a cgroup lie within, by the kernel. */
const [MIN_SHARES, MAX_SHARES] = [2n, 262_144n];
const MIN_QUOTA = 1_000n;

/** How limits of CPU are enforced. */
export interface CpuQuotaSettings {
  /** Whether they are (`--cpu-cfs-quota`). */
  readonly enforced: boolean;
  /** Period of the quota, microseconds. */
  readonly periodMicros: number;
}

/** Returns the weight of thousandths of a CPU. */
export function sharesOf(milliCpu: bigint): number {
  const shares = (milliCpu * 1024n) / 1000n;
  return Number(shares < MIN_SHARES ? MIN_SHARES : shares > MAX_SHARES ? MAX_SHARES : shares);
}

/** Returns the microseconds of a period for thousandths of a CPU; 0 for no limit. */
export function quotaOf(milliCpu: bigint, periodMicros: number): number {
  if (milliCpu === 0n) return 0;
  const quota = (milliCpu * BigInt(periodMicros)) / 1000n;
  return Number(quota < MIN_QUOTA ? MIN_QUOTA : quota);
}

/** Returns the values of the cgroup of a pod; -1 as quota for no limit. Limits hold if all containers have them. */
export function podCgroupValues(pod: Pod, { enforced, periodMicros }: CpuQuotaSettings): LinuxResources {
  const requests = podAmounts(pod, 'requests');
  const qos = qosClassOf(pod);
  if (qos === 'BestEffort') return { cpuShares: Number(MIN_SHARES) };
  const limited = { cpu: true, memory: true };
  const limits = podAmounts(pod, 'limits', (amounts) => {
    if (!amounts.get('cpu')) limited.cpu = false;
    if (!amounts.get('memory')) limited.memory = false;
  });
  const quota = enforced ? quotaOf(limits.get('cpu') ?? 0n, periodMicros) : -1;
  return {
    cpuShares: sharesOf(requests.get('cpu') ?? 0n),
    ...(limited.cpu && { cpuQuota: quota, cpuPeriod: periodMicros }),
    ...(limited.memory && { memoryLimit: Number(limits.get('memory') ?? 0n) }),
  };
}

/**
 * Returns the values of the cgroup of a container, and its `oom_score_adj`.
 * @param capacity memory of the machine, bytes
 */
export function containerCgroupValues(
  pod: Pod,
  container: PodContainer,
  { enforced, periodMicros }: CpuQuotaSettings,
  capacity: bigint,
): LinuxResources {
  const requests = amountsOf(container.resources?.requests);
  const limits = amountsOf(container.resources?.limits);
  const [cpuLimit, memoryLimit] = [limits.get('cpu') ?? 0n, limits.get('memory') ?? 0n];
  const quota = enforced ? quotaOf(cpuLimit, periodMicros) : 0;
  const hugePages = [...limits].filter(([name]) => name.startsWith(HUGE_PAGES));
  return {
    cpuShares: sharesOf(requests.get('cpu') ?? cpuLimit),
    ...(quota > 0 && { cpuQuota: quota, cpuPeriod: periodMicros }),
    ...(memoryLimit > 0n && { memoryLimit: Number(memoryLimit) }),
    oomScoreAdj: oomScoreAdjust(pod, container, capacity),
    ...(hugePages.length > 0 && {
      hugepageLimits: hugePages.map(([name, limit]) => ({ pageSize: pageSizeOf(name), limit: Number(limit) })),
    }),
  };
}

const HUGE_PAGES = 'hugepages-';

/** Returns the kernel's name of a size of pages: `2MB` for `hugepages-2Mi`. */
const pageSizeOf = (resource: string): string => resource.slice(HUGE_PAGES.length).replace(/i$/, 'B');
