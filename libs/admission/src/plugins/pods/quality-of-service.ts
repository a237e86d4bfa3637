import { parseQuantity } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';

const COUNTED = ['cpu', 'memory'] as const;

/** Returns whether no container of a pod has requests or limits of CPU or memory. */
export function isBestEffort({ containers = [], initContainers = [] }: PodSpec = {}): boolean {
  const lists = [...containers, ...initContainers].flatMap(({ resources }) => [resources?.requests, resources?.limits]);
  return !lists.some((list) => COUNTED.some((name) => isPositive(list?.[name])));
}

/** Returns whether a quantity is positive; false for an invalid one, as plugins run before the pod is validated. */
function isPositive(text: string | undefined): boolean {
  if (text === undefined) return false;
  try {
    return parseQuantity(text).compare(parseQuantity('0')) > 0;
  } catch {
    return false;
  }
}
