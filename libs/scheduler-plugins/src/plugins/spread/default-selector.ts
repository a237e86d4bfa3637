import { LabelSelector, labelRequirement, labelSelectorOf } from '@orch/machinery';
import type { ClusterObjects } from '../../framework/cluster-view.js';
import type { PodInfo } from '../../framework/pod-info.js';

type LabelSet = Readonly<Record<string, string>>;

/**
 * Returns the selector of the pods that a pod is spread with where it has no constraints: that of the Services that mean
 * it, and of its ReplicationController, ReplicaSet or StatefulSet; undefined where there is none.
 */
export function defaultSelector(pod: PodInfo, objects: ClusterObjects): LabelSelector | undefined {
  const labels: Record<string, string> = {};
  for (const service of objects.services.byIndex('namespace', pod.namespace)) {
    const selector = service.spec?.selector;
    if (selector && isSubset(selector, pod.labels)) Object.assign(labels, selector);
  }
  const owner = ownerSelector(pod, objects);
  const own = Object.entries(labels).map(([key, value]) => labelRequirement(key, 'in', [value]));
  const selector = new LabelSelector([...own, ...(owner?.requirements ?? [])]);
  return selector.matchesEverything ? undefined : selector;
}

const isSubset = (some: LabelSet, all: LabelSet): boolean =>
  Object.entries(some).every(([key, value]) => all[key] === value);

function ownerSelector({ pod, namespace }: PodInfo, objects: ClusterObjects): LabelSelector | undefined {
  const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return undefined;
  const key = `${namespace}/${owner.name ?? ''}`;
  switch (`${owner.apiVersion}/${owner.kind}`) {
    case 'v1/ReplicationController':
      return parsed({ matchLabels: objects.replicationControllers.get(key)?.spec?.selector ?? {} });
    case 'apps/v1/ReplicaSet':
      return parsed(objects.replicaSets.get(key)?.spec?.selector);
    case 'apps/v1/StatefulSet':
      return parsed(objects.statefulSets.get(key)?.spec?.selector);
    default:
      return undefined;
  }
}

/** A selector of another object that cannot be parsed is left out. */
function parsed(selector: Parameters<typeof labelSelectorOf>[0]): LabelSelector | undefined {
  try {
    return labelSelectorOf(selector);
  } catch {
    return undefined;
  }
}
