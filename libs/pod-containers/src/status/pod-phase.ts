import type { ContainerStatus, Pod, PodStatus } from '@orch/schema/types/core/v1';

/** Summary of where a pod is in its life. */
export type PodPhase = NonNullable<PodStatus['phase']>;

/** Whether a phase is final. */
export const isFinal = (phase: PodPhase | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

/** State of one container that counts for the phase. */
type Standing = 'unknown' | 'pending' | 'running' | 'succeeded' | 'failed';

/**
 * Returns the phase of a pod by the statuses of its containers.
 * @param isEnding whether none of the containers will be started any more
 */
export function phaseOf(pod: Pod, statuses: readonly ContainerStatus[], isEnding: boolean): PodPhase {
  const { restartPolicy = 'Always', initContainers = [], containers = [] } = pod.spec ?? {};
  const statusOf = (name: string | undefined) => statuses.find((status) => status.name === name);
  const init = initContainers.map(({ name }) => initStanding(statusOf(name)));
  if (init.includes('failed') && restartPolicy === 'Never') return 'Failed';
  const standings = containers.map(({ name }) => standing(statusOf(name)));
  if (init.includes('pending') || standings.includes('pending') || standings.includes('unknown')) return 'Pending';
  if (standings.includes('running')) return 'Running';
  if (standings.length === 0) return 'Pending';
  return endedPhase(restartPolicy, !standings.includes('failed'), isEnding);
}

function endedPhase(restartPolicy: string, succeeded: boolean, isEnding: boolean): PodPhase {
  // Without an end, all of them will be started again.
  if (!isEnding && restartPolicy === 'Always') return 'Running';
  if (succeeded) return 'Succeeded';
  return isEnding || restartPolicy === 'Never' ? 'Failed' : 'Running';
}

function standing(status: ContainerStatus | undefined): Standing {
  const { state, lastState } = status ?? {};
  if (state?.running) return 'running';
  if (state?.terminated) return state.terminated.exitCode === 0 ? 'succeeded' : 'failed';
  // It waits to be started again.
  if (state?.waiting) return lastState?.terminated ? 'failed' : 'pending';
  return 'unknown';
}

function initStanding(status: ContainerStatus | undefined): Standing {
  const { state, lastState } = status ?? {};
  const ended = state?.terminated ?? (state?.waiting ? lastState?.terminated : undefined);
  if (!ended) return 'pending';
  return ended.exitCode === 0 ? 'succeeded' : 'failed';
}
