import { systemClock } from '@orch/runtime/clock';
import type { ContainerStatistics } from '../statistics.js';
import { groupUsage } from './cgroups/cgroups.js';
import type { KnownContainer } from './container-folders.js';
import { processTree, usageOf } from './state/processes.js';

/** Returns the usage of a container: of its control groups, else of its processes as far as they still run. */
export function statisticsOf({ record, progress, state }: KnownContainer): ContainerStatistics {
  const { metadata, labels, annotations } = record.request.config;
  const identity = { id: record.id, metadata, labels, annotations };
  if (state !== 'running' || progress?.pid === undefined) return identity;
  const at = systemClock.wall();
  const groups = groupUsage(record.launch.cgroups);
  const processes = usageOf(processTree(progress.pid));
  const { memoryBytes = processes.rssBytes, workingSetBytes = processes.rssBytes } = groups;
  return {
    ...identity,
    cpu: { at, usageCoreNanoseconds: groups.cpuNanoseconds ?? processes.cpuNanoseconds },
    memory: { at, usageBytes: memoryBytes, workingSetBytes, rssBytes: processes.rssBytes },
  };
}
