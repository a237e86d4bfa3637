import { parseQuantity } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';

const COUNTED = ['cpu', 'memory'] as const;

/** Whether no container of a pod asks for, or is limited in, processors and memory. */
export function isBestEffort({ containers = [], initContainers = [] }: PodSpec = {}): boolean {
  const lists = [...containers, ...initContainers].flatMap(({ resources }) => [resources?.requests, resources?.limits]);
  return !lists.some((list) => COUNTED.some((name) => isPositive(list?.[name])));
}

/** Plugins are asked before anybody has looked at the pod. */
function isPositive(text: string | undefined): boolean {
  if (text === undefined) return false;
  try {
    return parseQuantity(text).compare(parseQuantity('0')) > 0;
  } catch {
    return false;
  }
}
