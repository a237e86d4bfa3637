import { type EqualityKey, valueIn } from './attributes.js';
import type { CacheEntry } from './cache-entry.js';
import { type Page, SortedEntries } from './sorted-entries.js';

/** Entries between two yields. */
const STRIDE = 16;

/** Entries by the value of one attribute. */
export class EqualityIndex {
  readonly #byValue = new Map<string, SortedEntries>();

  constructor(readonly key: EqualityKey) {}

  /** Takes in entries in key order, before anything else is asked of the index. Yields often. */
  *fill(pages: readonly Page[]): Generator<void, void> {
    for (const page of pages) {
      for (const [at, entry] of page.entries()) {
        // Those whose attributes are not known are looked at by everybody.
        const value = entry.failure ? undefined : valueIn(entry, this.key);
        if (value !== undefined) this.#append(entry, value);
        if (at % STRIDE === 0) yield;
      }
    }
  }

  get(value: string): SortedEntries | undefined {
    return this.#byValue.get(value);
  }

  /** Follows a change of the state. */
  change(before: CacheEntry | undefined, after: CacheEntry | undefined): void {
    const old = before && valueIn(before, this.key);
    const value = after && valueIn(after, this.key);
    if (before !== undefined && old !== undefined && old !== value) this.#remove(before, old);
    if (after !== undefined && value !== undefined) this.#put(after, value);
  }

  #append(entry: CacheEntry, value: string): void {
    let entries = this.#byValue.get(value);
    if (entries === undefined) {
      entries = new SortedEntries();
      this.#byValue.set(value, entries);
    }
    entries.append(entry);
  }

  #put(entry: CacheEntry, value: string): void {
    const entries = this.#byValue.get(value);
    if (entries === undefined) this.#byValue.set(value, SortedEntries.from([entry]));
    else entries.set(entry);
  }

  #remove(entry: CacheEntry, value: string): void {
    const entries = this.#byValue.get(value);
    entries?.delete(entry);
    if (entries?.size === 0) this.#byValue.delete(value);
  }
}
