import { type EqualityKey, valueIn } from './attributes.js';
import { CacheEntry } from './cache-entry.js';
import { compareKeys } from './key-order.js';
import { type Page, SortedEntries } from './sorted-entries.js';

/** Entries between two yields. */
const STRIDE = 16;

/** Bytes of a value, more when several entries have it, and of each of those entries, as measured. */
const VALUE = 40;
const SEVERAL = 420;
const REFERENCE = 10;

/** Entries by the value of one attribute. */
export class EqualityIndex {
  /** Entries by value; a lone entry is stored as itself, as is often the case. */
  readonly #byValue = new Map<string, CacheEntry | SortedEntries>();
  /** Number of values with several entries, and of their entries. */
  #several = 0;
  #entries = 0;

  constructor(readonly key: EqualityKey) {}

  /** Estimated bytes beside the entries. */
  get bytes(): number {
    return this.#byValue.size * VALUE + this.#several * SEVERAL + this.#entries * REFERENCE;
  }

  /** Adds entries in key order, before the index is used. Yields often. */
  *fill(pages: readonly Page[]): Generator<void, void> {
    for (const page of pages) {
      for (const [at, entry] of page.entries()) {
        // Entries with unknown attributes are checked by every query.
        const value = entry.failure ? undefined : valueIn(entry, this.key);
        if (value !== undefined) this.#append(entry, value);
        if (at % STRIDE === 0) yield;
      }
    }
  }

  get(value: string): SortedEntries | undefined {
    const found = this.#byValue.get(value);
    return found instanceof CacheEntry ? SortedEntries.from([found]) : found;
  }

  /** Applies a change of the state. */
  change(before: CacheEntry | undefined, after: CacheEntry | undefined): void {
    const old = before && valueIn(before, this.key);
    const value = after && valueIn(after, this.key);
    if (before !== undefined && old !== undefined && old !== value) this.#remove(before, old);
    if (after !== undefined && value !== undefined) this.#put(after, value);
  }

  #append(entry: CacheEntry, value: string): void {
    const found = this.#byValue.get(value);
    this.#entries++;
    if (found === undefined) this.#byValue.set(value, entry);
    else this.#severalOf(found, value).append(entry);
  }

  #put(entry: CacheEntry, value: string): void {
    const found = this.#byValue.get(value);
    if (found === undefined || (found instanceof CacheEntry && compareKeys(found, entry) === 0)) {
      if (found === undefined) this.#entries++;
      this.#byValue.set(value, entry);
    } else if (this.#severalOf(found, value).set(entry) === undefined) this.#entries++;
  }

  #severalOf(found: CacheEntry | SortedEntries, value: string): SortedEntries {
    if (found instanceof SortedEntries) return found;
    const several = SortedEntries.from([found]);
    this.#byValue.set(value, several);
    this.#several++;
    return several;
  }

  #remove(entry: CacheEntry, value: string): void {
    const found = this.#byValue.get(value);
    if (found instanceof CacheEntry) {
      if (compareKeys(found, entry) !== 0) return;
      this.#byValue.delete(value);
      this.#entries--;
      return;
    }
    if (found?.delete(entry) === undefined) return;
    this.#entries--;
    if (found.size > 0) return;
    this.#byValue.delete(value);
    this.#several--;
  }
}
