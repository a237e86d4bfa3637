import { humanDuration, timeOf } from '../values/age.js';
import { at, countAt, type Json, objectAt, objectsAt, textAt } from '../values/fields.js';

/** What a pod's row says of its containers. */
interface PodSummary {
  /** `1/2` */
  readonly ready: string;
  /** One word for where the pod stands: a phase, or what holds it up. */
  readonly status: string;
  /** `3`, or `3 (5m ago)` */
  readonly restarts: string;
}

interface Restarts {
  count: number;
  last: number | undefined;
}

/** Sums up a pod's state as users of kubectl know it. */
export function summarizePod(pod: unknown, now: number): PodSummary {
  const restarts: Restarts = { count: 0, last: undefined };
  const initializing = initState(pod, restarts);
  const containers = containerState(pod, initializing === undefined ? restarts : undefined);
  const status = terminating(pod) ?? initializing ?? running(pod, containers);
  const ago = restarts.last === undefined ? '' : ` (${humanDuration(now - restarts.last)} ago)`;
  return {
    ready: `${initializing === undefined ? containers.ready : 0}/${objectsAt(pod, 'spec', 'containers').length}`,
    status,
    restarts: `${restarts.count}${ago}`,
  };
}

function terminating(pod: unknown): string | undefined {
  if (at(pod, 'metadata', 'deletionTimestamp') === undefined) return undefined;
  return textAt(pod, 'status', 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
}

/** The pod's own word before its containers are asked. */
function phaseOf(pod: unknown): string {
  const gated = objectsAt(pod, 'status', 'conditions').some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  );
  return gated ? 'SchedulingGated' : textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
}

/** The first init container that has not succeeded, as `Init:…`; undefined when all are through. */
function initState(pod: unknown, restarts: Restarts): string | undefined {
  const statuses = objectsAt(pod, 'status', 'initContainerStatuses');
  const seen: Restarts = { count: 0, last: undefined };
  for (const [index, status] of statuses.entries()) {
    countRestarts(status, seen);
    const terminated = objectAt(status, 'state', 'terminated');
    if (at(status, 'state', 'terminated') !== undefined && countAt(terminated, 'exitCode') === 0) continue;
    Object.assign(restarts, seen);
    return `Init:${whyInitWaits(status) ?? `${index}/${objectsAt(pod, 'spec', 'initContainers').length}`}`;
  }
  // Their number is forgotten then, but not when the last one was.
  restarts.last = seen.last;
  return undefined;
}

function whyInitWaits(status: Json): string | undefined {
  if (at(status, 'state', 'terminated') !== undefined) return terminatedReason(status);
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  return waiting !== '' && waiting !== 'PodInitializing' ? waiting : undefined;
}

function terminatedReason(status: Json): string {
  const terminated = objectAt(status, 'state', 'terminated');
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = countAt(terminated, 'signal');
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${countAt(terminated, 'exitCode')}`;
}

function countRestarts(status: Json, restarts: Restarts): void {
  restarts.count += countAt(status, 'restartCount');
  const finished = timeOf(at(status, 'lastState', 'terminated', 'finishedAt'));
  if (finished !== undefined && finished > (restarts.last ?? 0)) restarts.last = finished;
}

interface ContainerState {
  ready: number;
  running: boolean;
  /** Why the first container that does not run does not. */
  reason: string | undefined;
}

function containerState(pod: unknown, restarts: Restarts | undefined): ContainerState {
  const state: ContainerState = { ready: 0, running: false, reason: undefined };
  for (const status of objectsAt(pod, 'status', 'containerStatuses').reverse()) {
    if (restarts) countRestarts(status, restarts);
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    if (waiting !== '') state.reason = waiting;
    else if (at(status, 'state', 'terminated') !== undefined) state.reason = terminatedReason(status);
    else if (status.ready === true && at(status, 'state', 'running') !== undefined) {
      state.running = true;
      state.ready++;
    }
  }
  return state;
}

function running(pod: unknown, containers: ContainerState): string {
  const word = containers.reason ?? phaseOf(pod);
  if (word !== 'Completed' || !containers.running) return word;
  const ready = objectsAt(pod, 'status', 'conditions').some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );
  return ready ? 'Running' : 'NotReady';
}
