import { termMeans } from '../../framework/affinity-term.js';
import type { ClusterView } from '../../framework/cluster-view.js';
import type { NodeInfo } from '../../framework/node-info.js';
import { MAX_SCORE } from '../../framework/plugin.js';
import type { InterPodAffinityArgs } from '../../framework/plugin-args.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { ownPlaces } from './own-places.js';
import type { PlaceCounts } from './place-counts.js';

/** Returns the scores of nodes by the preferred terms of a pod, and by those of the pods that are there; undefined for none. */
export function affinityScores(
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  view: ClusterView,
  args: InterPodAffinityArgs,
): readonly number[] | undefined {
  const { preferred } = pod.affinity;
  const sums = ownPlaces('preferred', pod, view).fork();
  if (preferred.length > 0 || !args.ignorePreferredTermsOfExistingPods) addExisting(sums, pod, view, args);
  const { keys } = sums;
  if (keys.length === 0) return undefined;
  return scaled(nodes.map((node) => keys.reduce((sum, key) => sum + sums.of(key, node), 0)));
}

function addExisting(
  sums: PlaceCounts,
  { namespace, labels }: PodInfo,
  view: ClusterView,
  { hardPodAffinityWeight }: InterPodAffinityArgs,
): void {
  const namespaceLabels = view.namespaceLabels(namespace);
  for (const { term, counts } of view.placedTerms('preferred')) {
    if (termMeans(term, namespace, namespaceLabels, labels)) sums.addAll(term.topologyKey, counts, term.weight);
  }
  if (hardPodAffinityWeight === 0) return;
  for (const { term, counts } of view.placedTerms('required'))
    if (termMeans(term, namespace, namespaceLabels, labels))
      sums.addAll(term.topologyKey, counts, hardPodAffinityWeight);
}

/** Scales sums between the smallest, which scores 0, and the largest. */
export function scaled(sums: readonly number[]): readonly number[] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const sum of sums) {
    min = Math.min(min, sum);
    max = Math.max(max, sum);
  }
  return sums.map((sum) => (max > min ? Math.floor(MAX_SCORE * ((sum - min) / (max - min))) : 0));
}
