import type { NodeInfo } from '@orch/scheduler-plugins';
import { labelsId, MAX_KEPT_SUMS } from './node-counts.js';

/** Values of labels of nodes, kept as long as the nodes have the same labels. */
export class NodeDomains {
  readonly #kept = new Map<string, ReadonlySet<string>>();
  #revision = -1;

  /** @param nodes all nodes @param revision tells how often nodes have come, gone, or got other labels */
  constructor(
    private readonly nodes: () => Iterable<NodeInfo>,
    private readonly revision: () => number,
  ) {}

  /** Returns the values of a label, of the nodes that have all that are needed. */
  of(label: string, needed: readonly string[]): ReadonlySet<string> {
    const revision = this.revision();
    if (this.#revision !== revision) this.#kept.clear();
    this.#revision = revision;
    const id = labelsId(label, needed);
    const known = this.#kept.get(id);
    if (known) return known;
    const values = new Set<string>();
    for (const { labels } of this.nodes()) {
      const value = labels[label];
      if (value !== undefined && needed.every((each) => labels[each] !== undefined)) values.add(value);
    }
    if (this.#kept.size >= MAX_KEPT_SUMS) this.#kept.clear();
    this.#kept.set(id, values);
    return values;
  }
}
