import { podAmounts, type QosClass, qosClassOf } from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';

/** Amounts that are missing, by resource. */
type Missing = ReadonlyMap<string, bigint>;

/** Message and condition of pods that had to give way. */
export const PREEMPTED = 'Preempted in order to admit critical pod';

const requestOf = (pod: Pod, resource: string): bigint =>
  resource === 'pods' ? 1n : (podAmounts(pod, 'requests').get(resource) ?? 0n);

/**
 * Returns the pods that give way to a critical one: as few of the better classes of service as can be, and of a class
 * those that fit best.
 * @param candidates pods that may give way
 * @param missing amounts that they have to free
 * @returns undefined if all of them together do not free enough
 */
export function victimsFor(candidates: readonly Pod[], missing: Missing): Pod[] | undefined {
  const of = (qos: QosClass) => candidates.filter((pod) => qosClassOf(pod) === qos);
  const [best, burstable, guaranteed] = [of('BestEffort'), of('Burstable'), of('Guaranteed')];
  if (without(missing, candidates).size > 0) return undefined;
  const fromGuaranteed = closest(guaranteed, without(missing, [...best, ...burstable]));
  const fromBurstable = closest(burstable, without(missing, [...best, ...fromGuaranteed]));
  const fromBest = closest(best, without(missing, [...fromBurstable, ...fromGuaranteed]));
  return [...fromBest, ...fromBurstable, ...fromGuaranteed];
}

function without(missing: Missing, pods: readonly Pod[]): Missing {
  const left = [...missing].map(([resource, amount]) => {
    const freed = pods.reduce((sum, pod) => sum + requestOf(pod, resource), 0n);
    return [resource, amount - freed] as const;
  });
  return new Map(left.filter(([, amount]) => amount > 0n));
}

/** Takes the pod that leaves least to be freed, again and again. */
function closest(pods: readonly Pod[], missing: Missing): Pod[] {
  const taken: Pod[] = [];
  for (let left = missing; left.size > 0; left = without(left, taken.slice(-1))) {
    const [next] = pods.filter((pod) => !taken.includes(pod)).sort(byDistance(left));
    if (!next) return taken;
    taken.push(next);
  }
  return taken;
}

function byDistance(missing: Missing): (a: Pod, b: Pod) => number {
  const distance = (pod: Pod) =>
    [...missing].reduce((sum, [resource, amount]) => {
      const rest = Number(amount - requestOf(pod, resource));
      return rest > 0 ? sum + (rest / Number(amount)) ** 2 : sum;
    }, 0);
  return (a, b) => distance(a) - distance(b) || bySize(a, b, 'memory') || bySize(a, b, 'cpu');
}

const bySize = (a: Pod, b: Pod, resource: string): number => Number(requestOf(a, resource) - requestOf(b, resource));
