import type { Clock } from '@orch/runtime/clock';
import type { EqualityKey } from './attributes.js';
import type { CacheEntry } from './cache-entry.js';
import { EqualityIndex } from './equality-index.js';
import { inSlices } from './slices.js';
import type { Page, SortedEntries } from './sorted-entries.js';

/** Queries for which an index may be unused before another replaces it. */
const IDLE = 1_000;

interface Held {
  readonly index: EqualityIndex;
  /** Number of the last query that it answered. */
  lastAsked: number;
}

type Change = readonly [before: CacheEntry | undefined, after: CacheEntry | undefined];

interface Building {
  /** Changes since its building began, which its entries lack. */
  readonly missed: Change[];
  readonly done: Promise<void>;
}

/**
 * The indexes of a type, each built on first use of its attribute. Their number is limited: a further attribute
 * replaces one that has been unused for long, or is not indexed.
 */
export class IndexSet {
  readonly #held = new Map<EqualityKey, Held>();
  readonly #building = new Map<EqualityKey, Building>();
  #asked = 0;

  constructor(private readonly max: number) {}

  get size(): number {
    return this.#held.size + this.#building.size;
  }

  /** Estimated bytes of the built indexes. */
  get bytes(): number {
    let bytes = 0;
    for (const { index } of this.#held.values()) bytes += index.bytes;
    return bytes;
  }

  /**
   * Makes sure that these attributes are indexed, as far as there is room. An index is built from the pages as of the
   * call, a few milliseconds at a time, and is used once it has caught up with changes meanwhile.
   * @param pages the whole state, in key order
   * @returns whether one of the attributes is indexed
   */
  async prepare(keys: Iterable<EqualityKey>, pages: () => readonly Page[], clock: Clock): Promise<boolean> {
    const underWay: Promise<void>[] = [];
    let indexed = false;
    for (const key of keys) {
      if (!this.#held.has(key)) {
        const building = this.#building.get(key)?.done ?? this.#begin(key, pages, clock);
        if (building === undefined) continue;
        underWay.push(building);
      }
      indexed = true;
    }
    await Promise.all(underWay);
    return indexed;
  }

  /** Returns the smallest indexed set of entries for one of these equalities; undefined when none is indexed. */
  find(equals: Iterable<readonly [EqualityKey, string]>): SortedEntries | 'none' | undefined {
    this.#asked++;
    let found: SortedEntries | undefined;
    for (const [key, value] of equals) {
      const held = this.#held.get(key);
      if (held === undefined) continue;
      held.lastAsked = this.#asked;
      const entries = held.index.get(value);
      if (entries === undefined) return 'none';
      if (found === undefined || entries.size < found.size) found = entries;
    }
    return found;
  }

  /** Applies a change of the state. */
  change(before: CacheEntry | undefined, after: CacheEntry | undefined): void {
    for (const { index } of this.#held.values()) index.change(before, after);
    for (const { missed } of this.#building.values()) missed.push([before, after]);
  }

  #begin(key: EqualityKey, pages: () => readonly Page[], clock: Clock): Promise<void> | undefined {
    if (!this.#makeRoom()) return undefined;
    const missed: Change[] = [];
    const done = this.#build(key, pages(), missed, clock);
    this.#building.set(key, { missed, done });
    return done;
  }

  async #build(key: EqualityKey, pages: readonly Page[], missed: readonly Change[], clock: Clock): Promise<void> {
    try {
      const index = new EqualityIndex(key);
      await inSlices(clock, index.fill(pages));
      for (const [before, after] of missed) index.change(before, after);
      this.#held.set(key, { index, lastAsked: this.#asked });
    } finally {
      this.#building.delete(key);
    }
  }

  #makeRoom(): boolean {
    if (this.size < this.max) return true;
    for (const [key, { lastAsked }] of this.#held) {
      if (this.#asked - lastAsked < IDLE) continue;
      this.#held.delete(key);
      return true;
    }
    return false;
  }
}
