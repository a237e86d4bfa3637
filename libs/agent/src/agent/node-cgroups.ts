import { amountsOf, CgroupFolders, type CpuQuotaSettings, cgroupAt, type EventSink } from '@orch/pod-environment';
import type { NodeAgentOptions } from '../options/agent-options.js';
import type { PodCgroups } from '../pods/pod-syncer.js';
import type { PodWork } from '../pods/pod-workers.js';
import type { NodeAgentSettings } from './agent-settings.js';
import type { ThisNode } from './this-node.js';

/** Dependencies of {@link openCgroups}. */
interface NodeCgroupsSettings extends Pick<NodeAgentSettings, 'options' | 'cgroupMount'> {
  /** The node. */
  readonly node: ThisNode;
  /** How limits of CPU are enforced. */
  readonly quota: CpuQuotaSettings;
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Returns all pods that may run. */
  readonly works: () => Iterable<PodWork>;
}

/** Makes the cgroups of pods, and holds those of the agent and the system to their shares. @throws Error */
export async function openCgroups(settings: NodeCgroupsSettings): Promise<PodCgroups> {
  const { options, cgroupMount: mount = '/sys/fs/cgroup', node, quota, events, works } = settings;
  const { cgroupRoot, cgroupDriver: driver, podMaxPids: podPids } = options;
  const cgroups = new CgroupFolders({ mount, root: cgroupAt(cgroupRoot), driver, quota, podPids });
  const isEnforced = options.enforceNodeAllocatable.includes('pods');
  const report = (message: string) => events.ofNode('Normal', 'NodeAllocatableEnforced', message);
  await cgroups.start(isEnforced ? node.sharedByPods() : undefined);
  if (isEnforced) report('Updated Node Allocatable limit across pods');
  await limitReserved(cgroups, options, report);
  return withClasses(cgroups, works);
}

/** Holds the cgroups of the agent and of the system to what is reserved for them. */
async function limitReserved(
  cgroups: CgroupFolders,
  options: NodeAgentOptions,
  report: (message: string) => void,
): Promise<void> {
  const { enforceNodeAllocatable, kubeReserved, kubeReservedCgroup, systemReserved, systemReservedCgroup } = options;
  const reserved = [
    ['kube-reserved', kubeReservedCgroup, kubeReserved],
    ['system-reserved', systemReservedCgroup, systemReserved],
  ] as const;
  for (const [name, cgroup, amounts] of reserved) {
    if (!enforceNodeAllocatable.includes(name)) continue;
    await cgroups.limit(cgroupAt(cgroup), amountsOf(Object.fromEntries(amounts)));
    report(`Updated limits on ${name.replace('-', ' ')} cgroup ${cgroup}`);
  }
}

/** Gives the classes of service their shares with each pod that comes. */
const withClasses = (cgroups: CgroupFolders, works: () => Iterable<PodWork>): PodCgroups => ({
  async ensure(pod) {
    await cgroups.ensure(pod);
    await cgroups.updateClasses([...works()].map((work) => work.pod));
  },
  remove: (pod) => cgroups.remove(pod),
});
