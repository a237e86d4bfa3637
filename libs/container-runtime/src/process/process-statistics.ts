import { systemClock } from '@orch/runtime/clock';
import type { ContainerStatistics, SandboxStatistics } from '../statistics.js';
import { groupUsage } from './cgroups/cgroups.js';
import type { KnownContainer } from './container-folders.js';
import { ProcessTable, usageOf } from './state/processes.js';
import type { SandboxRecord } from './state/records.js';

/** Returns the usage of containers: of their control groups, else of their processes as far as they still run. */
export function statisticsOf(containers: readonly KnownContainer[]): ContainerStatistics[] {
  const processes = new ProcessTable();
  return containers.map((container) => usageOfContainer(container, processes));
}

/** Returns the usage of sandboxes. @param containers all that there are */
export function sandboxStatisticsOf(
  sandboxes: readonly SandboxRecord[],
  containers: readonly KnownContainer[],
): SandboxStatistics[] {
  const processes = new ProcessTable();
  const running = containers.filter(({ state }) => state === 'running');
  const bySandbox = Map.groupBy(running, ({ record }) => record.request.sandboxId);
  return sandboxes.map(({ id, config: { metadata, labels, annotations } }) => {
    const usages = (bySandbox.get(id) ?? []).map((container) => usageOfContainer(container, processes));
    return { id, metadata, labels, annotations, containers: usages };
  });
}

function usageOfContainer({ record, progress, state }: KnownContainer, processes: ProcessTable): ContainerStatistics {
  const { metadata, labels, annotations } = record.request.config;
  const identity = { id: record.id, metadata, labels, annotations };
  if (state !== 'running' || progress?.pid === undefined) return identity;
  const at = systemClock.wall();
  const groups = groupUsage(record.launch.cgroups);
  const own = usageOf(processes.tree(progress.pid));
  const { memoryBytes = own.rssBytes, workingSetBytes = own.rssBytes } = groups;
  return {
    ...identity,
    cpu: { at, usageCoreNanoseconds: groups.cpuNanoseconds ?? own.cpuNanoseconds },
    memory: { at, usageBytes: memoryBytes, workingSetBytes, rssBytes: own.rssBytes },
  };
}
