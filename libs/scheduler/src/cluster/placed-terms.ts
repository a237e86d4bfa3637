import type { AffinityTerm, NodeInfo, PlacedTerm, PodInfo } from '@orch/scheduler-plugins';
import { NodeCounts } from './node-counts.js';

/** A kind of terms of pods. */
export type TermKind = 'requiredAnti' | 'required' | 'preferred';

interface Group {
  readonly term: AffinityTerm;
  readonly counts: NodeCounts;
}

const KINDS: readonly TermKind[] = ['requiredAnti', 'required', 'preferred'];

/**
 * Affinity terms of pods that are on nodes, equal ones together: pods of one Deployment have the same terms, so a new
 * pod is compared with each once, and not with each pod.
 */
export class PlacedTerms {
  readonly #groups = new Map<TermKind, Map<string, Group>>(KINDS.map((kind) => [kind, new Map()]));

  /** @param revision see {@link NodeCounts} */
  constructor(private readonly revision: () => number) {}

  /** Returns the terms of a kind, in no order. */
  of(kind: TermKind): Iterable<PlacedTerm> {
    return this.#groups.get(kind)?.values() ?? [];
  }

  /** A pod has been added to a node, or removed from it. */
  change(pod: PodInfo, node: NodeInfo, by: 1 | -1): void {
    for (const kind of KINDS) for (const term of pod.affinity[kind]) this.#changeTerm(kind, term, node, by);
  }

  #changeTerm(kind: TermKind, term: AffinityTerm, node: NodeInfo, by: 1 | -1): void {
    const groups = this.#groups.get(kind);
    const group = groups?.get(term.id) ?? { term, counts: new NodeCounts(this.revision) };
    group.counts.add(node, by);
    if (group.counts.size === 0) groups?.delete(term.id);
    else groups?.set(term.id, group);
  }
}
