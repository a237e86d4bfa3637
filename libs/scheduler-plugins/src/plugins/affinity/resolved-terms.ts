import type { AffinityTerm } from '../../framework/affinity-term.js';
import type { ClusterView, PodCondition } from '../../framework/cluster-view.js';

/** Returns what a term of a pod to be scheduled means: its namespaces by name, those with the labels that it selects among them. */
export function resolved(term: AffinityTerm, view: ClusterView): PodCondition {
  const { namespaces, namespaceSelector, selector } = term;
  if (namespaceSelector.matchesNothing) return { namespaces, selector };
  if (namespaceSelector.matchesEverything) return { namespaces: undefined, selector };
  const names = new Set(namespaces);
  for (const [name, { metadata }] of entries(view)) if (namespaceSelector.matches(metadata?.labels)) names.add(name);
  return { namespaces: names, selector };
}

function* entries({ objects: { namespaces } }: ClusterView) {
  for (const name of namespaces.keys()) {
    const namespace = namespaces.get(name);
    if (namespace) yield [name, namespace] as const;
  }
}
