import type { ClusterView, CountsByNode } from '../../framework/cluster-view.js';
import type { NodeInfo } from '../../framework/node-info.js';
import { MAX_SCORE } from '../../framework/plugin.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { hasAllKeys, keysOf, MOST_SUMMED, type SpreadConstraint } from './constraints.js';
import { countsFor } from './counts-for.js';

/** How spread is scored. */
interface SpreadScoring {
  /** Whether nodes without the label of a constraint score 0. */
  readonly needsAllKeys: boolean;
  /** Label of nodes by which each is a domain of its own. */
  readonly hostname: string;
}

/** Returns the scores of nodes by how few pods that the constraints mean are in their domains. */
export function spreadScores(
  pod: PodInfo,
  constraints: readonly SpreadConstraint[],
  nodes: readonly NodeInfo[],
  view: ClusterView,
  scoring: SpreadScoring,
): readonly number[] {
  const scored = scoring.needsAllKeys ? nodes.filter((node) => hasAllKeys(node, constraints)) : nodes;
  if (scored.length === 0) return nodes.map(() => 0);
  const countings = constraints.map((constraint) =>
    countingOf(constraint, constraints, { pod, scored, view, scoring }),
  );
  const sums = new Map<NodeInfo, number>();
  for (const node of scored) {
    let sum = 0;
    for (const counting of countings) sum += counting(node);
    sums.set(node, Math.round(sum));
  }
  return normalized(nodes, sums);
}

/** Input of a counting. */
interface CountingInput {
  readonly pod: PodInfo;
  readonly scored: readonly NodeInfo[];
  readonly view: ClusterView;
  readonly scoring: SpreadScoring;
}

function countingOf(
  constraint: SpreadConstraint,
  all: readonly SpreadConstraint[],
  { pod, scored, view, scoring: { needsAllKeys, hostname } }: CountingInput,
): (node: NodeInfo) => number {
  const { topologyKey, maxSkew } = constraint;
  const pods = countsFor(constraint, pod, view);
  if (topologyKey === hostname) {
    const weight = Math.log(scored.length + 2);
    return (node) => (node.labels[hostname] === undefined ? 0 : (pods.get(node) ?? 0) * weight + maxSkew - 1);
  }
  const domains = new Set<string>();
  for (const node of scored) domains.add(node.labels[topologyKey] ?? '');
  const isCounted = (node: NodeInfo) =>
    (!needsAllKeys || hasAllKeys(node, all)) && constraint.isEligible?.(node) !== false;
  // Nodes without the label count with those whose label is empty.
  const isSummed = !constraint.isEligible && !domains.has('') && all.length <= MOST_SUMMED;
  const sums = isSummed
    ? pods.sums(topologyKey, needsAllKeys ? keysOf(all) : [])
    : summed(pods, topologyKey, isCounted);
  const weight = Math.log(domains.size + 2);
  return (node) => {
    const domain = node.labels[topologyKey];
    return domain === undefined ? 0 : (sums.get(domain) ?? 0) * weight + maxSkew - 1;
  };
}

function summed(
  pods: CountsByNode,
  topologyKey: string,
  isCounted: (node: NodeInfo) => boolean,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [node, count] of pods) {
    if (!node.isKnown || !isCounted(node)) continue;
    const domain = node.labels[topologyKey] ?? '';
    sums.set(domain, (sums.get(domain) ?? 0) + count);
  }
  return sums;
}

/** Scales sums so that the smallest scores most; nodes without one score 0. */
function normalized(nodes: readonly NodeInfo[], sums: ReadonlyMap<NodeInfo, number>): readonly number[] {
  let [min, max] = [Number.POSITIVE_INFINITY, 0];
  for (const sum of sums.values()) {
    min = Math.min(min, sum);
    max = Math.max(max, sum);
  }
  return nodes.map((node) => {
    const sum = sums.get(node);
    if (sum === undefined) return 0;
    return max === 0 ? MAX_SCORE : Math.floor((MAX_SCORE * (max + min - sum)) / max);
  });
}
