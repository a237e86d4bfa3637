import { inSlices } from '@orch/runtime/work';
import type { AffinityTerm } from '../../framework/affinity-term.js';
import type { ClusterView } from '../../framework/cluster-view.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { PlaceCounts } from './place-counts.js';
import { resolved } from './resolved-terms.js';

/** Kind of a pod's own terms each of which is counted for itself. */
type OwnTerms = 'requiredAnti' | 'preferred';

/** Terms of a pod up to which they are counted in one step: each may be compared with all pods. */
const MANY = 64;

const counted = new WeakMap<PodInfo, Readonly<Record<OwnTerms, PlaceCounts>>>();

/** Returns the numbers, by place, of the pods that terms of a pod mean; they are shared, and not to be changed. */
export function ownPlaces(kind: OwnTerms, pod: PodInfo, view: ClusterView): PlaceCounts {
  const places = counted.get(pod)?.[kind];
  if (places) return places;
  const made = PlaceCounts.none();
  for (const term of pod.affinity[kind]) addTerm(made, kind, term, view);
  return made;
}

/**
 * Counts the terms of a pod that has thousands, in turns with other work, for {@link ownPlaces} of the decision that follows;
 * undefined for a pod that has few.
 */
export function countAhead(pod: PodInfo, view: ClusterView): Promise<void> | undefined {
  const { requiredAnti, preferred } = pod.affinity;
  return requiredAnti.length + preferred.length > MANY ? count(pod, view) : undefined;
}

async function count(pod: PodInfo, view: ClusterView): Promise<void> {
  counted.set(pod, await inSlices(steps(pod, view)));
}

function* steps({ affinity }: PodInfo, view: ClusterView): Generator<undefined, Record<OwnTerms, PlaceCounts>> {
  const places = { requiredAnti: PlaceCounts.none(), preferred: PlaceCounts.none() };
  for (const kind of ['requiredAnti', 'preferred'] as const)
    for (const term of affinity[kind]) {
      addTerm(places[kind], kind, term, view);
      yield;
    }
  return places;
}

function addTerm(places: PlaceCounts, kind: OwnTerms, term: AffinityTerm, view: ClusterView): void {
  const factor = kind === 'preferred' ? term.weight : 1;
  places.addAll(term.topologyKey, view.podCounts([resolved(term, view)], true), factor);
}
