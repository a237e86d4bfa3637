import type { CountsByNode } from '../../framework/cluster-view.js';
import type { NodeInfo } from '../../framework/node-info.js';

/** Sums of nodes that the numbers are, so many times. They are shared, and not to be changed. */
interface Part {
  readonly sums: ReadonlyMap<string, number>;
  readonly factor: number;
}

/** Numbers by place: a label of nodes and its value. */
export class PlaceCounts {
  #keys: readonly string[] = [];
  /** Sums of what was added, by key. */
  readonly #parts = new Map<string, Part>();
  /** Sums among them that belong to this one alone, and can be changed. */
  readonly #own = new Map<string, Map<string, number>>();
  /** Numbers that were added for single nodes, by key and value. */
  readonly #changes = new Map<string, Map<string, number>>();
  /** Number of places whose number is not 0. */
  #places = 0;

  private constructor() {}

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
    const sums = counts.sums(key);
    if (sums.size === 0) return;
    if (!this.#keys.includes(key)) {
      this.#keys = [...this.#keys, key];
      this.#places += sums.size;
      this.#parts.set(key, { sums, factor });
      return;
    }
    const own = this.#ownSums(key);
    for (const [value, sum] of sums) {
      this.#countPlace(this.#at(key, value), sum * factor);
      own.set(value, (own.get(value) ?? 0) + sum * factor);
    }
  }

  /** Adds to the number of the place of a node; nothing where the node has not the label. */
  add(key: string, node: NodeInfo, by: number): void {
    const value = node.labels[key];
    if (value === undefined) return;
    this.#countPlace(this.#at(key, value), by);
    if (!this.#keys.includes(key)) this.#keys = [...this.#keys, key];
    const values = this.#changes.get(key) ?? new Map<string, number>();
    this.#changes.set(key, values.set(value, (values.get(value) ?? 0) + by));
  }

  /** Returns a copy with changes of its own. */
  fork(): PlaceCounts {
    const fork = new PlaceCounts();
    [fork.#keys, fork.#places] = [this.#keys, this.#places];
    this.#own.clear();
    for (const [key, part] of this.#parts) fork.#parts.set(key, part);
    for (const [key, values] of this.#changes) fork.#changes.set(key, new Map(values));
    return fork;
  }

  #countPlace(before: number, by: number): void {
    this.#places += Number(before + by !== 0) - Number(before !== 0);
  }

  /** Returns sums of a key to be added to: those of thousands of terms cost as much as those of one. */
  #ownSums(key: string): Map<string, number> {
    const known = this.#own.get(key);
    if (known) return known;
    const own = new Map<string, number>();
    const { sums = own, factor = 1 } = this.#parts.get(key) ?? {};
    for (const [value, sum] of sums) own.set(value, sum * factor);
    this.#own.set(key, own);
    this.#parts.set(key, { sums: own, factor: 1 });
    return own;
  }

  #at(key: string, value: string): number {
    const sum = this.#changes.size === 0 ? 0 : (this.#changes.get(key)?.get(value) ?? 0);
    const part = this.#parts.get(key);
    return part ? sum + part.factor * (part.sums.get(value) ?? 0) : sum;
  }
}
