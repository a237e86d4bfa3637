import { attributeOf, type EqualityKey } from './attributes.js';
import type { CacheEntry } from './cache-entry.js';
import { SortedEntries } from './sorted-entries.js';

/** Entries by the value of one attribute, built from the state when it is first asked for. */
export class EqualityIndex {
  readonly #byValue = new Map<string, SortedEntries>();

  constructor(
    private readonly key: EqualityKey,
    entries: Iterable<CacheEntry>,
  ) {
    for (const entry of entries) this.#add(entry);
  }

  get(value: string): SortedEntries | undefined {
    return this.#byValue.get(value);
  }

  /** Follows a change of the state. */
  change(before: CacheEntry | undefined, after: CacheEntry | undefined): void {
    if (before !== undefined) this.#remove(before);
    if (after !== undefined) this.#add(after);
  }

  #add(entry: CacheEntry): void {
    const value = attributeOf(entry.attributes, this.key);
    if (value === undefined) return;
    const entries = this.#byValue.get(value);
    if (entries === undefined) this.#byValue.set(value, SortedEntries.from([entry]));
    else entries.set(entry);
  }

  #remove(entry: CacheEntry): void {
    const value = attributeOf(entry.attributes, this.key);
    if (value === undefined) return;
    const entries = this.#byValue.get(value);
    entries?.delete(entry);
    if (entries?.size === 0) this.#byValue.delete(value);
  }
}
