import type { CountsByNode, NodeInfo } from '@orch/scheduler-plugins';

/** Sums that are kept at most: pods name the labels. */
export const MAX_KEPT_SUMS = 64;

/** Sums by the values of a label, of nodes that have some labels. */
interface LabelSums {
  readonly label: string;
  readonly needed: readonly string[];
  readonly sums: Map<string, number>;
}

/** Returns a text that is unique for labels, whatever they are called: those of constraints are any text. */
export const labelsId = (label: string, needed: readonly string[]): string => JSON.stringify([label, ...needed]);

/** Numbers of pods by node, whose sums by labels of the nodes are kept up to date with each pod once they were asked for. */
export class NodeCounts implements CountsByNode {
  readonly #counts = new Map<NodeInfo, number>();
  readonly #kept = new Map<string, LabelSums>();
  /** Revision of the nodes that the sums are of. */
  #revision = -1;

  /** @param revision tells how often nodes have come, gone, or got other labels */
  constructor(private readonly revision: () => number) {}

  /** Number of nodes with pods. */
  get size(): number {
    return this.#counts.size;
  }

  /** Returns the number of a node; undefined for none. */
  get(node: NodeInfo): number | undefined {
    return this.#counts.get(node);
  }

  [Symbol.iterator](): Iterator<[NodeInfo, number]> {
    return this.#counts[Symbol.iterator]();
  }

  /** Changes the number of a node; one that comes to 0 is left out. */
  add(node: NodeInfo, by: number): void {
    addTo(this.#counts, node, by);
    if (this.#kept.size === 0) return;
    this.#forgetOutdated();
    for (const sums of this.#kept.values()) addSum(sums, node, by);
  }

  /** Returns the sums by the values of a label, of known nodes with all that are needed; values without pods are absent. */
  sums(label: string, needed: readonly string[] = []): ReadonlyMap<string, number> {
    this.#forgetOutdated();
    const id = labelsId(label, needed);
    const known = this.#kept.get(id);
    if (known) return known.sums;
    const made = { label, needed, sums: new Map<string, number>() };
    for (const [node, count] of this.#counts) addSum(made, node, count);
    if (this.#kept.size >= MAX_KEPT_SUMS) this.#kept.clear();
    this.#kept.set(id, made);
    return made.sums;
  }

  #forgetOutdated(): void {
    const revision = this.revision();
    if (this.#revision === revision) return;
    this.#revision = revision;
    this.#kept.clear();
  }
}

function addSum({ label, needed, sums }: LabelSums, node: NodeInfo, by: number): void {
  const value = node.isKnown ? node.labels[label] : undefined;
  if (value !== undefined && needed.every((each) => node.labels[each] !== undefined)) addTo(sums, value, by);
}

function addTo<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
