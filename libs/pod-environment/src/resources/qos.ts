import type { Pod, ResourceRequirements } from '@orch/schema/types/core/v1';
import { isMirrorPod, isStaticPod, type PodAnnotations, type PodContainer } from '../identity.js';
import { add, amountsOf } from './amounts.js';

/** Class of service of a pod, which follows from its requests and limits. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COMPUTE = ['cpu', 'memory'];

/** Returns the positive amounts of CPU and memory. */
const computeOf = (resources: ResourceRequirements | undefined, list: 'requests' | 'limits') =>
  new Map([...amountsOf(resources?.[list])].filter(([name, amount]) => COMPUTE.includes(name) && amount > 0n));

/** Returns the class of a pod. */
export function qosClassOf(pod: Pod): QosClass {
  const requests = new Map<string, bigint>();
  const limits = new Map<string, bigint>();
  let isLimited = true;
  for (const { resources } of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])]) {
    const own = computeOf(resources, 'limits');
    add(requests, computeOf(resources, 'requests'));
    add(limits, own);
    if (own.size < COMPUTE.length) isLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const isEqual = requests.size === limits.size && [...requests].every(([name, amount]) => limits.get(name) === amount);
  return isLimited && isEqual ? 'Guaranteed' : 'Burstable';
}

/** The priority from which on pods are critical: that of the classes of the system. */
const CRITICAL_PRIORITY = 2_000_000_000;
const NODE_CRITICAL_CLASS = 'system-node-critical';

/** Whether a pod is evicted never, and admitted at the expense of others. */
export function isCriticalPod(pod: Pod, annotations: PodAnnotations): boolean {
  if (isStaticPod(pod, annotations) || isMirrorPod(pod, annotations)) return true;
  return (pod.spec?.priority ?? 0) >= CRITICAL_PRIORITY;
}

/** Whether a pod gives way to a critical one: a lesser one, or one of a lower priority. */
export function isPreemptable(critical: Pod, other: Pod, annotations: PodAnnotations): boolean {
  if (isCriticalPod(critical, annotations) && !isCriticalPod(other, annotations)) return true;
  return (critical.spec?.priority ?? 0) > (other.spec?.priority ?? 0);
}

/** Score of processes that the kernel kills last when memory runs out. */
const PROTECTED = -997;
const UNPROTECTED = 1000;

/**
 * Returns `oom_score_adj` of a container: the less of its requested memory it can exceed, the later it is killed.
 * @param capacity memory of the machine, bytes
 */
export function oomScoreAdjust(pod: Pod, container: PodContainer, capacity: bigint): number {
  if (pod.spec?.priorityClassName === NODE_CRITICAL_CLASS) return PROTECTED;
  const qos = qosClassOf(pod);
  if (qos === 'Guaranteed') return PROTECTED;
  if (qos === 'BestEffort') return UNPROTECTED;
  const request = amountsOf(container.resources?.requests).get('memory') ?? 0n;
  const score = UNPROTECTED - Number((1000n * request) / capacity);
  return Math.min(Math.max(score, UNPROTECTED + PROTECTED - 1), UNPROTECTED - 1);
}
