import { type AffinityTerm, termMeans } from '../../framework/affinity-term.js';
import type { ClusterView, PodCondition } from '../../framework/cluster-view.js';
import { meetsAll } from '../../framework/meets-all.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { HypotheticalFilter, PodFilter, Rejection } from '../../framework/plugin.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { ownPlaces } from './own-places.js';
import { PlaceCounts } from './place-counts.js';
import { resolved } from './resolved-terms.js';

/** Name of the plugin. */
export const INTER_POD_AFFINITY = 'InterPodAffinity';

const reject = (reason: string, isResolvable: boolean): Rejection => ({
  plugin: INTER_POD_AFFINITY,
  reasons: [reason],
  isResolvable,
});
const NO_AFFINITY = reject("node(s) didn't match pod affinity rules", false);
const ANTI_AFFINITY = reject("node(s) didn't match pod anti-affinity rules", true);
const EXISTING = reject("node(s) didn't satisfy existing pods anti-affinity rules", true);

interface Term {
  readonly topologyKey: string;
  readonly condition: PodCondition;
}

/** Required terms that concern a pod: its own, and those of others. */
interface Wanted {
  readonly pod: PodInfo;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly required: readonly Term[];
  readonly anti: readonly Term[];
}

/** Numbers of pods by place: that the pod must be near to, must keep away from, and that want it kept away. */
interface Places {
  readonly near: PlaceCounts;
  readonly away: PlaceCounts;
  readonly existing: PlaceCounts;
}

/** Keeps a pod to the places that required terms allow: its own, and those of pods that are there. */
export class AffinityFilter implements PodFilter, HypotheticalFilter {
  private constructor(
    private readonly wanted: Wanted,
    private readonly places: Places,
  ) {}

  /** Counts what the terms mean; undefined where none concerns the pod. */
  static of(pod: PodInfo, view: ClusterView): AffinityFilter | undefined {
    const term = (of: AffinityTerm): Term => ({ topologyKey: of.topologyKey, condition: resolved(of, view) });
    const wanted: Wanted = {
      pod,
      namespaceLabels: view.namespaceLabels(pod.namespace),
      required: pod.affinity.required.map(term),
      anti: pod.affinity.requiredAnti.map(term),
    };
    const places = {
      ...{ near: PlaceCounts.none(), away: ownPlaces('requiredAnti', pod, view) },
      existing: existingTerms(wanted, view),
    };
    if (wanted.required.length === 0 && wanted.anti.length === 0 && places.existing.isEmpty) return undefined;
    if (wanted.required.length > 0) {
      const counts = view.podCounts(conditionsOf(wanted.required), true);
      for (const { topologyKey } of wanted.required) places.near.addAll(topologyKey, counts);
    }
    return new AffinityFilter(wanted, places);
  }

  filter(node: NodeInfo): Rejection | undefined {
    if (!this.#isNear(node)) return NO_AFFINITY;
    const { away, existing } = this.places;
    if (this.wanted.anti.some(({ topologyKey }) => away.of(topologyKey, node) > 0)) return ANTI_AFFINITY;
    for (const key of existing.keys) if (existing.of(key, node) > 0) return EXISTING;
    return undefined;
  }

  fork(): HypotheticalFilter {
    const { near, away, existing } = this.places;
    return new AffinityFilter(this.wanted, { near: near.fork(), away: away.fork(), existing: existing.fork() });
  }

  addPod(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, 1);
  }

  removePod(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, -1);
  }

  #isNear(node: NodeInfo): boolean {
    const { required, pod } = this.wanted;
    const { near } = this.places;
    if (required.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
    if (required.every(({ topologyKey }) => near.of(topologyKey, node) > 0)) return true;
    // The first of pods that want to be near each other.
    return near.isEmpty && meetsAll(conditionsOf(required), pod);
  }

  #change(pod: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const { wanted, places } = this;
    if (wanted.required.length > 0 && meetsAll(conditionsOf(wanted.required), pod))
      for (const { topologyKey } of wanted.required) places.near.add(topologyKey, node, by);
    for (const { topologyKey, condition } of wanted.anti)
      if (meetsAll([condition], pod)) places.away.add(topologyKey, node, by);
    for (const term of pod.affinity.requiredAnti)
      if (meansWanted(term, wanted)) places.existing.add(term.topologyKey, node, by);
  }
}

const conditionsOf = (terms: readonly Term[]): readonly PodCondition[] => terms.map(({ condition }) => condition);

const meansWanted = (term: AffinityTerm, { pod, namespaceLabels }: Wanted): boolean =>
  termMeans(term, pod.namespace, namespaceLabels, pod.labels);

function existingTerms(wanted: Wanted, view: ClusterView): PlaceCounts {
  const existing = PlaceCounts.none();
  for (const { term, counts } of view.placedTerms('requiredAnti'))
    if (meansWanted(term, wanted)) existing.addAll(term.topologyKey, counts);
  return existing;
}
