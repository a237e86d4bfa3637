import { openPinnedContainers, type PinnedContainers } from '@orch/node-resources';
import { uidOf } from '@orch/pod-environment';
import { parseReservedMemory } from '../options/pinning-checks.js';
import type { PodAgent } from '../pods/pod-agent.js';
import type { NodeAgentSettings } from './agent-settings.js';
import { reservedMilliCpus } from './reserved-shares.js';
import type { ThisNode } from './this-node.js';

/** Dependencies of {@link openPinned}. */
interface PinningSettings extends Pick<NodeAgentSettings, 'options' | 'runtime' | 'clock' | 'logger'> {
  /** The node. */
  readonly node: ThisNode;
  /** Returns the pods, once they are made. */
  readonly pods: () => PodAgent;
}

/** Opens what gives CPUs and memory to containers for themselves. @throws Error that names the option that cannot be had */
export function openPinned({
  options,
  node,
  runtime,
  pods,
  clock,
  logger,
}: PinningSettings): Promise<PinnedContainers> {
  const { rootDir: folder, cpuManagerPolicy, cpuManagerPolicyOptions, reservedCpus, memoryManagerPolicy } = options;
  return openPinnedContainers({
    folder,
    cpus: {
      policy: cpuManagerPolicy,
      reservedMilli: reservedMilliCpus(node.settings.reserved),
      reservedCpus,
      wholeCores: cpuManagerPolicyOptions.get('full-pcpus-only') === 'true',
    },
    memory: {
      policy: memoryManagerPolicy,
      reserved: parseReservedMemory(options.reservedMemory),
      keptBytes: node.keptBytes,
    },
    mayRun: () => mayRun(pods()),
    ...{ everyMs: options.cpuManagerReconcilePeriod, runtime, clock, logger },
  });
}

/** Returns the pods that may run; undefined while sources have not been seen, whose pods are not known. */
function mayRun({ desired, workers }: PodAgent): ReadonlySet<string> | undefined {
  if (!desired.hasSeenAll) return undefined;
  return new Set([...workers.list('syncing', 'terminating')].map(({ pod }) => uidOf(pod)));
}
