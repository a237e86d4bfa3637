import { type ApiObject, formatTime } from '@orch/machinery';
import type { PodCondition } from '@orch/schema/types/core/v1';

type PodStatus = { conditions?: PodCondition[] };

/**
 * Sets the condition of its type, keeping the time of the last transition where the status stays. Mutates.
 * @param now milliseconds since 1970
 */
export function setPodCondition(pod: ApiObject, condition: PodCondition, now: number): void {
  pod.status ??= {};
  const status = pod.status as PodStatus;
  const conditions = status.conditions ?? [];
  const before = conditions.findIndex(({ type }) => type === condition.type);
  const stays = conditions[before]?.status === condition.status;
  const since = (stays && conditions[before]?.lastTransitionTime) || formatTime(now);
  const { type, status: state, ...why } = condition;
  const next = { type, status: state, lastProbeTime: null, lastTransitionTime: since, ...why } as PodCondition;
  status.conditions = before < 0 ? [...conditions, next] : conditions.with(before, next);
}

/** Whether a pod has the condition `Ready` with the status `True`. */
export const isReady = ({ status }: ApiObject): boolean =>
  (status as PodStatus | undefined)?.conditions?.some(
    ({ type, status: state }) => type === 'Ready' && state === 'True',
  ) === true;
