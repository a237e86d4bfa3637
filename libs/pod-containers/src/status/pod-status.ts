import { qosClassOf } from '@orch/pod-environment';
import type { ContainerStatus, Pod, PodStatus } from '@orch/schema/types/core/v1';
import type { ObservedPod } from '../containers/observed-pod.js';
import { containerStatuses, type WaitingReason } from './container-statuses.js';
import { conditionsOf, DISRUPTION_TARGET } from './pod-conditions.js';
import { isFinal, phaseOf } from './pod-phase.js';

/** Values that the status of a pod is made of. */
export interface PodStatusInputs {
  /** The pod as it is desired, with the status that the API has. */
  readonly pod: Pod;
  /** The pod as the runtime has it. */
  readonly observed: ObservedPod;
  /** Last status of the pod; undefined before it has one. */
  readonly previous: PodStatus | undefined;
  /** Returns the reason for which a container waits; undefined if none is known. */
  readonly waiting: (container: string) => WaitingReason | undefined;
  /** Completes a status by the probes of the container: `started` and `ready`. */
  readonly probed: (status: ContainerStatus) => ContainerStatus;
  /** Whether none of the containers will be started any more, and all have ended. */
  readonly isEnding: boolean;
  /** Whether the pod comes from a file or URL. */
  readonly isStatic: boolean;
  /** Addresses of the node, which pods in its network have. */
  readonly hostIPs: readonly string[];
}

/** Returns the status of a pod by what the runtime and the probes say. */
export function podStatusOf(inputs: PodStatusInputs): PodStatus {
  const { pod, previous = pod.status ?? {} } = inputs;
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const init = containerStatuses(initContainers, previous.initContainerStatuses ?? [], inputs, true);
  const regular = containerStatuses(containers, previous.containerStatuses ?? [], inputs, false);
  const debugging = containerStatuses(ephemeralContainers, previous.ephemeralContainerStatuses ?? [], inputs, false);
  const lists = { init: init.map(completedInit), regular: regular.map(inputs.probed) };
  const phase = finalOr(phaseOf(pod, [...init, ...regular], inputs.isEnding && !inputs.isStatic), inputs);
  const keeps = phase === previous.phase;
  const reason = keeps ? previous.reason || pod.status?.reason : undefined;
  const message = keeps ? previous.message || pod.status?.message : undefined;
  const disruption = previous.conditions?.filter(({ type }) => type === DISRUPTION_TARGET) ?? [];
  const conditions = conditionsOf(pod, lists, phase).filter(({ type }) => type !== DISRUPTION_TARGET);
  return {
    phase,
    conditions: [...disruption, ...conditions],
    ...(reason && { reason }),
    ...(message && { message }),
    ...addresses(inputs, previous),
    ...(previous.startTime && { startTime: previous.startTime }),
    qosClass: qosClassOf(pod),
    ...(initContainers.length > 0 && { initContainerStatuses: lists.init }),
    containerStatuses: lists.regular,
    ...(ephemeralContainers.length > 0 && {
      ephemeralContainerStatuses: debugging.map((status) => ({ ...status, ready: false })),
    }),
  };
}

/** A final phase of the pod stays. */
function finalOr(phase: NonNullable<PodStatus['phase']>, { pod, previous }: PodStatusInputs) {
  if (pod.status?.phase && isFinal(pod.status.phase)) return pod.status.phase;
  if (previous?.phase && isFinal(previous.phase)) return previous.phase;
  return phase;
}

const completedInit = (status: ContainerStatus): ContainerStatus => ({
  ...status,
  ready: status.state?.terminated?.exitCode === 0,
});

function addresses({ pod, observed, hostIPs }: PodStatusInputs, previous: PodStatus): Partial<PodStatus> {
  const [hostIP] = hostIPs;
  const own = pod.spec?.hostNetwork ? ownOfHost(hostIPs, previous) : (observed.sandboxes[0]?.ips ?? []);
  const [podIP] = own;
  return {
    ...(hostIP !== undefined && { hostIP }),
    ...(podIP !== undefined && { podIP, podIPs: own.map((ip) => ({ ip })) }),
  };
}

/** The first address of a pod in the node's network does not change. */
function ownOfHost(hostIPs: readonly string[], { podIP }: PodStatus): readonly string[] {
  return podIP ? [podIP, ...hostIPs.slice(1)] : hostIPs;
}
