import { isCriticalPod, type PodAnnotations, qosClassOf } from '@orch/pod-environment';
import type { Pod, Toleration } from '@orch/schema/types/core/v1';
import type { PressureType } from './thresholds.js';

/** Reason and message of a pod that the node refuses. */
export interface PressureRefusal {
  /** Reason of its status. */
  readonly reason: string;
  /** Message of its status. */
  readonly message: string;
}

/**
 * Returns why a node under pressure refuses a pod; undefined if it does not.
 * @param taint key of the taint of nodes that are short of memory
 */
export function pressureRefusal(
  pod: Pod,
  conditions: readonly PressureType[],
  annotations: PodAnnotations,
  taint: string,
): PressureRefusal | undefined {
  if (conditions.length === 0 || isCriticalPod(pod, annotations)) return undefined;
  const isMemoryAlone = conditions.every((type) => type === 'MemoryPressure');
  if (isMemoryAlone && qosClassOf(pod) !== 'BestEffort') return undefined;
  if (isMemoryAlone && (pod.spec?.tolerations ?? []).some((toleration) => tolerates(toleration, taint)))
    return undefined;
  return { reason: 'Evicted', message: `The node had condition: [${conditions.join(' ')}]. ` };
}

const tolerates = ({ key = '', operator = 'Equal', value = '', effect }: Toleration, taint: string): boolean =>
  (!effect || effect === 'NoSchedule') &&
  (operator === 'Exists' ? key === '' || key === taint : key === taint && value === '');
