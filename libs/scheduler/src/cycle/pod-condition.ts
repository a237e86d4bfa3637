import { formatTime } from '@orch/machinery';
import type { Pod, PodCondition } from '@orch/schema/types/core/v1';

/** A condition without its times. */
export type NewCondition = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * Returns a condition as it is to be written: with the time of the last change of its status; undefined where the pod has
 * it already. @param now milliseconds since 1970
 */
export function changedCondition({ status }: Pod, wanted: NewCondition, now: number): PodCondition | undefined {
  const known = status?.conditions?.find(({ type }) => type === wanted.type);
  const isSame = known?.reason === wanted.reason && known?.message === wanted.message;
  if (known?.status === wanted.status && isSame) return undefined;
  const since = known?.status === wanted.status ? known?.lastTransitionTime : undefined;
  return { ...wanted, lastTransitionTime: since ?? formatTime(now) };
}
