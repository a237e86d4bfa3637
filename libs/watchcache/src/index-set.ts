import type { EqualityKey } from './attributes.js';
import type { CacheEntry } from './cache-entry.js';
import { EqualityIndex } from './equality-index.js';
import type { SortedEntries } from './sorted-entries.js';

/** Questions that an index may go without before another takes its place. */
const IDLE = 1_000;

interface Held {
  readonly index: EqualityIndex;
  /** Number of the question that it last answered. */
  lastAsked: number;
}

/**
 * The indexes of a type, each built when its attribute is first asked for. There are at most so many: a further
 * attribute takes the place of one that has not been asked for in a long time, or is not indexed.
 */
export class IndexSet {
  readonly #held = new Map<EqualityKey, Held>();
  #asked = 0;

  constructor(private readonly max: number) {}

  get size(): number {
    return this.#held.size;
  }

  /** The smallest set of entries that the indexes have for one of these equalities; undefined when none is indexed. */
  find(
    equals: Iterable<readonly [EqualityKey, string]>,
    all: () => Iterable<CacheEntry>,
  ): SortedEntries | 'none' | undefined {
    this.#asked++;
    let found: SortedEntries | undefined;
    for (const [key, value] of equals) {
      const index = this.#index(key, all);
      if (index === undefined) continue;
      const entries = index.get(value);
      if (entries === undefined) return 'none';
      if (found === undefined || entries.size < found.size) found = entries;
    }
    return found;
  }

  /** Follows a change of the state. */
  change(before: CacheEntry | undefined, after: CacheEntry | undefined): void {
    for (const { index } of this.#held.values()) index.change(before, after);
  }

  #index(key: EqualityKey, all: () => Iterable<CacheEntry>): EqualityIndex | undefined {
    const held = this.#held.get(key);
    if (held !== undefined) {
      held.lastAsked = this.#asked;
      return held.index;
    }
    if (!this.#makeRoom()) return undefined;
    const index = new EqualityIndex(key, all());
    this.#held.set(key, { index, lastAsked: this.#asked });
    return index;
  }

  #makeRoom(): boolean {
    if (this.#held.size < this.max) return true;
    for (const [key, { lastAsked }] of this.#held) {
      if (this.#asked - lastAsked < IDLE) continue;
      this.#held.delete(key);
      return true;
    }
    return false;
  }
}
