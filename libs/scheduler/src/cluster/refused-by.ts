import { untoleratedTaint } from '@orch/machinery';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { requiredNodeAffinity } from '../plugins/node-affinity.js';
import { insufficient } from '../plugins/resources/fit.js';

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
