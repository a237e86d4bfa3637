import { type EqualityKey, valueIn } from './attributes.js';
import type { CacheEntry } from './cache-entry.js';
import { SortedEntries } from './sorted-entries.js';

/** Entries by the value of one attribute. */
export class EqualityIndex {
  readonly #byValue = new Map<string, SortedEntries>();

  /** @param entries in key order */
  constructor(
    readonly key: EqualityKey,
    entries: Iterable<CacheEntry>,
  ) {
    const gathered = new Map<string, CacheEntry[]>();
    for (const entry of entries) {
      const value = valueIn(entry, key);
      if (value === undefined) continue;
      const same = gathered.get(value);
      if (same === undefined) gathered.set(value, [entry]);
      else same.push(entry);
    }
    for (const [value, same] of gathered) this.#byValue.set(value, SortedEntries.from(same));
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
