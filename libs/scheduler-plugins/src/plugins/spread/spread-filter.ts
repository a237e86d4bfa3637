import type { ClusterView } from '../../framework/cluster-view.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { HypotheticalFilter, PodFilter, Rejection } from '../../framework/plugin.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { hasAllKeys, keysOf, MOST_SUMMED, type SpreadConstraint } from './constraints.js';
import { countsFor } from './counts-for.js';
import { DomainCounts } from './domain-counts.js';

/** Name of the plugin. */
export const SPREAD = 'PodTopologySpread';

const SKEWED: Rejection = {
  plugin: SPREAD,
  reasons: ["node(s) didn't match pod topology spread constraints"],
  isResolvable: true,
};
const NO_LABEL: Rejection = {
  plugin: SPREAD,
  reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"],
  isResolvable: false,
};

interface Spread {
  readonly constraint: SpreadConstraint;
  readonly counts: DomainCounts;
  /** 1 where the constraint counts the pod itself. */
  readonly self: 0 | 1;
}

/** Keeps a pod from nodes where a required constraint would not hold. */
export class SpreadFilter implements PodFilter, HypotheticalFilter {
  private constructor(
    private readonly pod: PodInfo,
    private readonly constraints: readonly SpreadConstraint[],
    private readonly spreads: readonly Spread[],
  ) {}

  /** Counts the pods that the constraints mean. */
  static of(pod: PodInfo, constraints: readonly SpreadConstraint[], view: ClusterView): SpreadFilter {
    const isMany = constraints.length > MOST_SUMMED;
    const nodes = isMany ? view.nodes.filter((node) => hasAllKeys(node, constraints)) : undefined;
    const spreads = constraints.map((constraint): Spread => {
      const self = constraint.selector.matches(pod.labels) ? 1 : 0;
      return { constraint, self, counts: domainsOf(constraint, { all: constraints, nodes }, pod, view) };
    });
    return new SpreadFilter(pod, constraints, spreads);
  }

  filter(node: NodeInfo): Rejection | undefined {
    for (const { constraint, counts, self } of this.spreads) {
      const domain = node.labels[constraint.topologyKey];
      if (domain === undefined) return NO_LABEL;
      const min = counts.size < constraint.minDomains ? 0 : counts.min;
      if (counts.of(domain) + self - min > constraint.maxSkew) return SKEWED;
    }
    return undefined;
  }

  fork(): HypotheticalFilter {
    const spreads = this.spreads.map((spread) => ({ ...spread, counts: spread.counts.fork() }));
    return new SpreadFilter(this.pod, this.constraints, spreads);
  }

  addPod(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, 1);
  }

  removePod(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, -1);
  }

  #change(pod: PodInfo, node: NodeInfo, by: 1 | -1): void {
    if (pod.namespace !== this.pod.namespace || !hasAllKeys(node, this.constraints)) return;
    for (const { constraint, counts } of this.spreads)
      if (constraint.selector.matches(pod.labels) && constraint.isEligible?.(node) !== false)
        counts.add(node.labels[constraint.topologyKey] as string, by);
  }
}

/** All constraints of a pod, and where there are many the nodes that have the labels of all. */
interface AllConstraints {
  readonly all: readonly SpreadConstraint[];
  readonly nodes: readonly NodeInfo[] | undefined;
}

function domainsOf(
  constraint: SpreadConstraint,
  { all, nodes }: AllConstraints,
  pod: PodInfo,
  view: ClusterView,
): DomainCounts {
  const { topologyKey, isEligible } = constraint;
  // To count pods for each of thousands of constraints takes seconds.
  if (nodes?.length === 0) return new DomainCounts(new Set(), new Map());
  const pods = countsFor(constraint, pod, view);
  if (!isEligible && !nodes) {
    const keys = keysOf(all);
    return new DomainCounts(view.domains(topologyKey, keys), pods.sums(topologyKey, keys));
  }
  const counts = new Map<string, number>();
  for (const node of nodes ?? view.nodes) {
    if (!hasAllKeys(node, all) || isEligible?.(node) === false) continue;
    const domain = node.labels[topologyKey] as string;
    counts.set(domain, (counts.get(domain) ?? 0) + (pods.get(node) ?? 0));
  }
  return new DomainCounts(new Set(counts.keys()), counts);
}
