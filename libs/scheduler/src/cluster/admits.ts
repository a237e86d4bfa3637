import { untoleratedTaint } from '@orch/machinery';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { requiredNodeAffinity } from '../plugins/node-affinity.js';
import { insufficient } from '../plugins/resources/fit.js';

const NONE = () => false;

/** Whether a pod could be on a node as far as the node itself is concerned: resources, selector, ports and taints. */
export function admits(node: NodeInfo, pod: PodInfo): boolean {
  if (insufficient(pod.requests, node, NONE).length > 0) return false;
  if (requiredNodeAffinity(pod)?.(node) === false) return false;
  if (pod.ports.some((port) => node.ports.collides(port))) return false;
  const tolerations = pod.pod.spec?.tolerations ?? [];
  return untoleratedTaint(node.node.spec?.taints ?? [], tolerations, ['NoSchedule']) === undefined;
}
