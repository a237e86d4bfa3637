import { StatusError } from '@orch/machinery';
import type { Container, ContainerStatus, Pod } from '@orch/schema/types/core/v1';
import type { ServedAgent } from './agent-server-settings.js';

/** A container of a pod, as a path names it. */
export interface ContainerPath {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly pod: string;
  /** Uid of the pod; absent for any. */
  readonly uid?: string;
  /** Name of the container. */
  readonly container: string;
}

/** Returns the pod of a name. @throws StatusError 404 */
export function podOf(agent: ServedAgent, { namespace, pod: name, uid }: Omit<ContainerPath, 'container'>): Pod {
  for (const pod of agent.pods()) {
    const { metadata } = pod;
    const isNamed = metadata?.name === name && metadata?.namespace === namespace;
    if (isNamed && (uid === undefined || metadata?.uid === uid)) return pod;
  }
  throw new StatusError('NotFound', 'pod does not exist');
}

/** Returns the status of a container; undefined while it has none. */
export function statusOf({ status }: Pod, name: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (each) => each.name === name,
  );
}

/** Whether a pod has a container of a name. */
export function hasContainer({ spec }: Pod, name: string): boolean {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  return [...containers, ...initContainers, ...(ephemeralContainers as Container[])].some((each) => each.name === name);
}

/** Id in the runtime of a container's id, which has a scheme in front. */
export const idOf = (containerID: string): string => containerID.slice(containerID.indexOf('://') + 3);

/** Returns the id of a container that runs. @throws StatusError 500 in the words of the reference */
export function runningId(pod: Pod, name: string): string {
  const { state, containerID } = statusOf(pod, name) ?? {};
  if (state?.running === undefined || containerID === undefined || containerID === '')
    throw new StatusError('InternalError', `container not found (${JSON.stringify(name)})`);
  return idOf(containerID);
}
