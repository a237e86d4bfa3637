import type { CountsByNode } from '../../framework/cluster-view.js';
import type { NodeInfo } from '../../framework/node-info.js';

/** Numbers by place: a label of nodes and its value. */
export class PlaceCounts {
  /** Numbers that are added to those of the base. */
  readonly #counts = new Map<string, Map<string, number>>();
  #keys: readonly string[];
  /** Number of places whose number is not 0. */
  #places: number;

  /** @param base numbers to begin with, shared and not to be changed any more */
  private constructor(private readonly base?: PlaceCounts) {
    this.#places = base === undefined ? 0 : base.#places;
    this.#keys = base === undefined ? [] : base.#keys;
  }

  /** Returns numbers that are all 0. */
  static none(): PlaceCounts {
    return new PlaceCounts();
  }

  /** Keys of the labels that are counted by. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /** Whether all numbers are 0. */
  get isEmpty(): boolean {
    return this.#places === 0;
  }

  /** Returns the number of the place of a node by a label; 0 where the node has not the label. */
  of(key: string, node: NodeInfo): number {
    const value = node.labels[key];
    return value === undefined ? 0 : this.#at(key, value);
  }

  /** Adds numbers of nodes, `factor` times, to their places. */
  addAll(key: string, counts: CountsByNode, factor = 1): void {
    for (const [node, count] of counts) if (node.isKnown) this.add(key, node, factor * count);
  }

  /** Adds to the number of the place of a node; nothing where the node has not the label. */
  add(key: string, node: NodeInfo, by: number): void {
    const value = node.labels[key];
    if (value === undefined) return;
    const before = this.#at(key, value);
    if (!this.#keys.includes(key)) this.#keys = [...this.#keys, key];
    const values = this.#counts.get(key) ?? new Map<string, number>();
    this.#counts.set(key, values.set(value, (values.get(value) ?? 0) + by));
    this.#places += Number(before + by !== 0) - Number(before !== 0);
  }

  /** Returns a copy with changes of its own. */
  fork(): PlaceCounts {
    return new PlaceCounts(this);
  }

  #at(key: string, value: string): number {
    const own = this.#counts.get(key)?.get(value) ?? 0;
    return this.base === undefined ? own : own + this.base.#at(key, value);
  }
}
