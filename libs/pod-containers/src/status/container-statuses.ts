import { formatTime } from '@orch/machinery';
import type { PodContainer } from '@orch/pod-environment';
import type { ContainerState, ContainerStateTerminated, ContainerStatus, Pod } from '@orch/schema/types/core/v1';
import { latestRun, type ObservedContainer, type ObservedPod } from '../containers/observed-pod.js';
import { shouldStart } from '../containers/restart.js';

/** Reason for which a container waits, as its last start or pull has left it. */
export interface WaitingReason {
  /** Reason in CamelCase. */
  readonly reason: string;
  /** Details for people. */
  readonly message: string;
}

/** Values that the statuses of containers are made of. */
interface ContainerStatusInputs {
  /** The pod as it is desired. */
  readonly pod: Pod;
  /** The pod as the runtime has it. */
  readonly observed: ObservedPod;
  /** Returns the reason for which a container waits; undefined if none is known. */
  readonly waiting: (container: string) => WaitingReason | undefined;
}

/** State of a container that ended unobserved. */
const LOST: ContainerStateTerminated = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
};
const LOST_DELETED = 'The container could not be located when the pod was deleted.  The container used to be Running';

/**
 * Returns the statuses of containers of one list of the spec, in its order.
 * @param previous their last statuses
 * @param isInit whether they are init containers, which are not started again after a success
 */
export function containerStatuses(
  containers: readonly PodContainer[],
  previous: readonly ContainerStatus[],
  inputs: ContainerStatusInputs,
  isInit: boolean,
): ContainerStatus[] {
  return containers.map((container) => {
    const old = previous.find(({ name }) => name === container.name);
    const status = ofRuns(container, old, inputs);
    return isWaitingAgain(container, inputs, isInit) ? waitingAgain(status, container, inputs) : status;
  });
}

function ofRuns(
  { name = '', image = '' }: PodContainer,
  old: ContainerStatus | undefined,
  inputs: ContainerStatusInputs,
) {
  const [latest, before] = inputs.observed.containers.filter((run) => run.name === name);
  if (!latest) return withoutRun(name, image, old, inputs.pod);
  // A run may know its image by the id alone.
  const status = { ...ofRun(latest, old), ...(latest.image.startsWith('sha256:') && { image }) };
  return before ? { ...status, lastState: ofRun(before, old).state ?? {} } : withLast(status, old);
}

/** The run before may have been removed from the runtime already. */
function withLast(status: ContainerStatus, old: ContainerStatus | undefined): ContainerStatus {
  if (!old || (status.restartCount ?? 0) === 0) return status;
  const isSame = old.containerID === status.containerID;
  const lastState = isSame ? old.lastState : old.state?.terminated ? old.state : old.lastState;
  return lastState ? { ...status, lastState } : status;
}

function withoutRun(name: string, image: string, old: ContainerStatus | undefined, pod: Pod): ContainerStatus {
  if (old?.state?.terminated) return old;
  const reason = pod.spec?.initContainers?.length ? 'PodInitializing' : 'ContainerCreating';
  const status: ContainerStatus = {
    name,
    image,
    imageID: '',
    state: { waiting: { reason } },
    lastState: old?.lastState ?? {},
    restartCount: old?.restartCount ?? 0,
  };
  if (!old?.state?.running || status.lastState?.terminated) return status;
  // It ran, and nobody has seen its end.
  const wasRestarted = pod.metadata?.deletionTimestamp === undefined;
  return {
    ...status,
    lastState: { terminated: { ...LOST, message: LOST_DELETED } },
    restartCount: (status.restartCount ?? 0) + (wasRestarted ? 1 : 0),
  };
}

function ofRun(run: ObservedContainer, old: ContainerStatus | undefined): ContainerStatus {
  const status: ContainerStatus = {
    name: run.name,
    image: run.image,
    imageID: run.imageId,
    containerID: run.fullId,
    restartCount: run.restartCount,
    state: stateOf(run),
    lastState: {},
  };
  if (run.state !== 'unknown' || !old?.state?.running) return status;
  return { ...status, state: { terminated: LOST }, restartCount: (old.restartCount ?? 0) + 1 };
}

function stateOf({
  state,
  startedAt,
  finishedAt,
  exitCode,
  reason,
  message,
  fullId,
}: ObservedContainer): ContainerState {
  if (state === 'running') return { running: { startedAt: formatTime(startedAt ?? 0) } };
  if (state !== 'exited') return { waiting: {} };
  return {
    terminated: {
      exitCode,
      ...(reason !== '' && { reason }),
      ...(message !== '' && { message }),
      startedAt: formatTime(startedAt ?? 0),
      finishedAt: formatTime(finishedAt ?? 0),
      containerID: fullId,
    },
  };
}

function isWaitingAgain(
  { name = '' }: PodContainer,
  { pod, observed }: ContainerStatusInputs,
  isInit: boolean,
): boolean {
  const run = latestRun(observed, name);
  if (isInit && run?.state === 'exited' && run.exitCode === 0) return false;
  return shouldStart(name, pod, observed);
}

function waitingAgain(
  status: ContainerStatus,
  { name = '' }: PodContainer,
  inputs: ContainerStatusInputs,
): ContainerStatus {
  const waiting = inputs.waiting(name);
  if (!waiting) return status;
  const { reason, message } = waiting;
  const lastState = status.state?.terminated ? status.state : status.lastState;
  return {
    ...status,
    ...(lastState && { lastState }),
    state: { waiting: { reason, ...(message !== '' && { message }) } },
  };
}

/** Returns statuses in which every container has ended: of one that did not, nobody knows how. */
export function terminatedStatuses(statuses: readonly ContainerStatus[]): ContainerStatus[] {
  return statuses.map((status) => (status.state?.terminated ? status : { ...status, state: { terminated: LOST } }));
}
