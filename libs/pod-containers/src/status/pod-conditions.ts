import type { ContainerStatus, Pod, PodCondition } from '@orch/schema/types/core/v1';
import type { PodPhase } from './pod-phase.js';

/** Conditions that the agent owns; all others stay as they are. */
export const OWN_CONDITIONS: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized', 'ContainersReady']);

/** Condition that several components may set. */
export const DISRUPTION_TARGET = 'DisruptionTarget';

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

/** Lists of names of containers by what is wrong with them. */
interface Unready {
  readonly unknown: readonly string[];
  readonly unready: readonly string[];
}

function unreadyOf(containers: readonly { name?: string }[], statuses: readonly ContainerStatus[]): Unready {
  const found = { unknown: [] as string[], unready: [] as string[] };
  for (const { name = '' } of containers) {
    const status = statuses.find((candidate) => candidate.name === name);
    if (!status) found.unknown.push(name);
    else if (!status.ready) found.unready.push(name);
  }
  return found;
}

function messageOf({ unknown, unready }: Unready, adjective: 'unready' | 'incomplete'): string {
  const parts = [];
  if (unknown.length > 0) parts.push(`containers with unknown status: [${unknown.join(' ')}]`);
  if (unready.length > 0) parts.push(`containers with ${adjective} status: [${unready.join(' ')}]`);
  return parts.join(', ');
}

const holds: Verdict = { status: 'True' };

function initialized(pod: Pod, statuses: readonly ContainerStatus[], phase: PodPhase): Verdict {
  const unready = unreadyOf(pod.spec?.initContainers ?? [], statuses);
  if (phase === 'Succeeded' && unready.unknown.length === 0) return { status: 'True', reason: 'PodCompleted' };
  const message = messageOf(unready, 'incomplete');
  return message === '' ? holds : { status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReady(pod: Pod, statuses: readonly ContainerStatus[], phase: PodPhase): Verdict {
  const unready = unreadyOf(pod.spec?.containers ?? [], statuses);
  if (phase === 'Succeeded' && unready.unknown.length === 0) return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const message = messageOf(unready, 'unready');
  return message === '' ? holds : { status: 'False', reason: 'ContainersNotReady', message };
}

function ready(pod: Pod, conditions: readonly PodCondition[], containers: Verdict): Verdict {
  if (containers.status !== 'True') return containers;
  const problems = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType = '' }) => {
    const condition = conditions.find(({ type }) => type === conditionType);
    if (!condition) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status ?? ''}`];
  });
  return problems.length === 0
    ? holds
    : { status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}

/** Statuses of a pod's containers by their list in the spec. */
interface StatusLists {
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
}

/** Returns the conditions of a pod: those of others as the API has them, and the agent's own. */
export function conditionsOf(pod: Pod, { init, regular }: StatusLists, phase: PodPhase): PodCondition[] {
  const others = (pod.status?.conditions ?? []).filter(({ type = '' }) => !OWN_CONDITIONS.has(type));
  const containers = containersReady(pod, regular, phase);
  const own: [string, Verdict][] = [
    ['Initialized', initialized(pod, init, phase)],
    ['Ready', ready(pod, others, containers)],
    ['ContainersReady', containers],
    ['PodScheduled', holds],
  ];
  return [...others, ...own.map(([type, verdict]) => ({ type, ...verdict }))];
}

/** Returns conditions with the time of their last transition: that of the previous ones where the status is the same. */
export function withTransitions(
  conditions: readonly PodCondition[],
  previous: readonly PodCondition[],
  now: string,
): PodCondition[] {
  return conditions.map((condition) => {
    if (!OWN_CONDITIONS.has(condition.type ?? '') && condition.type !== DISRUPTION_TARGET) return condition;
    const before = previous.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? (before?.lastTransitionTime ?? now) : now;
    return { ...condition, lastTransitionTime };
  });
}
