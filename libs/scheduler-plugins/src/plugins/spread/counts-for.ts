import type { ClusterView, CountsByNode } from '../../framework/cluster-view.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { SpreadConstraint } from './constraints.js';

const NONE: CountsByNode = {
  size: 0,
  get: () => undefined,
  sums: () => new Map(),
  [Symbol.iterator]: () => [][Symbol.iterator](),
};

/** Returns the number of pods by node that a constraint of a pod counts: a selector without conditions counts none. */
export function countsFor({ selector }: SpreadConstraint, { namespace }: PodInfo, view: ClusterView): CountsByNode {
  if (selector.matchesEverything) return NONE;
  return view.podCounts([{ namespaces: new Set([namespace]), selector }], false);
}
