import type { ContainerStatus, Pod } from '@orch/schema/types/core/v1';
import { humanDuration, timeOf } from '../values/age.js';

/** The cells of a pod's row about its containers. */
interface PodSummary {
  /** `1/2` */
  readonly ready: string;
  /** A word for the state of the pod: its phase, or what holds it up. */
  readonly status: string;
  /** `3`, or `3 (5m ago)` */
  readonly restarts: string;
}

interface Restarts {
  count: number;
  last: number | undefined;
}

/** Sums up a pod's state as users of kubectl know it. */
export function summarizePod(pod: Pod, now: number): PodSummary {
  const restarts: Restarts = { count: 0, last: undefined };
  const initializing = initState(pod, restarts);
  const containers = containerState(pod, initializing === undefined ? restarts : undefined);
  const status = terminating(pod) ?? initializing ?? running(pod, containers);
  const ago = restarts.last === undefined ? '' : ` (${humanDuration(now - restarts.last)} ago)`;
  return {
    ready: `${initializing === undefined ? containers.ready : 0}/${(pod.spec?.containers ?? []).length}`,
    status,
    restarts: `${restarts.count}${ago}`,
  };
}

function terminating(pod: Pod): string | undefined {
  if (pod.metadata?.deletionTimestamp === undefined) return undefined;
  return pod.status?.reason === 'NodeLost' ? 'Unknown' : 'Terminating';
}

/** Returns the phase or reason of the pod itself, before its containers are considered. */
function phaseOf(pod: Pod): string {
  const gated = (pod.status?.conditions ?? []).some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  );
  return gated ? 'SchedulingGated' : pod.status?.reason || (pod.status?.phase ?? '');
}

/** The first init container that has not succeeded, as `Init:…`; undefined when all are through. */
function initState(pod: Pod, restarts: Restarts): string | undefined {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const seen: Restarts = { count: 0, last: undefined };
  for (const [index, status] of statuses.entries()) {
    countRestarts(status, seen);
    const terminated = status.state?.terminated;
    if (status.state?.terminated !== undefined && (terminated?.exitCode ?? 0) === 0) continue;
    Object.assign(restarts, seen);
    return `Init:${whyInitWaits(status) ?? `${index}/${(pod.spec?.initContainers ?? []).length}`}`;
  }
  // Their number is forgotten then, but not when the last one was.
  restarts.last = seen.last;
  return undefined;
}

function whyInitWaits(status: ContainerStatus): string | undefined {
  if (status.state?.terminated !== undefined) return terminatedReason(status);
  const waiting = status.state?.waiting?.reason ?? '';
  return waiting !== '' && waiting !== 'PodInitializing' ? waiting : undefined;
}

function terminatedReason(status: ContainerStatus): string {
  const terminated = status.state?.terminated;
  const reason = terminated?.reason ?? '';
  if (reason !== '') return reason;
  const signal = terminated?.signal ?? 0;
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${terminated?.exitCode ?? 0}`;
}

function countRestarts(status: ContainerStatus, restarts: Restarts): void {
  restarts.count += status.restartCount ?? 0;
  const finished = timeOf(status.lastState?.terminated?.finishedAt);
  if (finished !== undefined && finished > (restarts.last ?? 0)) restarts.last = finished;
}

interface ContainerState {
  ready: number;
  running: boolean;
  /** Why the first container that does not run does not. */
  reason: string | undefined;
}

function containerState(pod: Pod, restarts: Restarts | undefined): ContainerState {
  const state: ContainerState = { ready: 0, running: false, reason: undefined };
  for (const status of (pod.status?.containerStatuses ?? []).toReversed()) {
    if (restarts) countRestarts(status, restarts);
    const waiting = status.state?.waiting?.reason ?? '';
    if (waiting !== '') state.reason = waiting;
    else if (status.state?.terminated !== undefined) state.reason = terminatedReason(status);
    else if (status.ready === true && status.state?.running !== undefined) {
      state.running = true;
      state.ready++;
    }
  }
  return state;
}

function running(pod: Pod, containers: ContainerState): string {
  const word = containers.reason ?? phaseOf(pod);
  if (word !== 'Completed' || !containers.running) return word;
  const ready = (pod.status?.conditions ?? []).some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );
  return ready ? 'Running' : 'NotReady';
}
