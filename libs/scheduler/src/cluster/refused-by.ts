import { untoleratedTaint } from '@orch/machinery';
import { insufficient, type NodeInfo, type PodInfo, requiredNodeAffinity } from '@orch/scheduler-plugins';

const NONE = () => false;

/**
 * Returns the plugin that keeps a pod from a node as far as the node itself is concerned: resources, selector, ports and
 * taints; undefined for none.
 */
export function refusedBy(node: NodeInfo, pod: PodInfo): string | undefined {
  if (insufficient(pod.requests, node, NONE).length > 0) return 'NodeResourcesFit';
  if (requiredNodeAffinity(pod)?.(node) === false) return 'NodeAffinity';
  if (pod.ports.some((port) => node.ports.collides(port))) return 'NodePorts';
  const tolerations = pod.pod.spec?.tolerations ?? [];
  const taint = untoleratedTaint(node.node.spec?.taints ?? [], tolerations, ['NoSchedule']);
  return taint && 'TaintToleration';
}
