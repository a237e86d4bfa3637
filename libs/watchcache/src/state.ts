import type { Key, Version } from '@orch/storage';
import { type EqualityKey, NAME_FIELD, NAMESPACE_FIELD } from './attributes.js';
import { type CacheEntry, sizeOf } from './cache-entry.js';
import { EqualityIndex } from './equality-index.js';
import { concerns, type Interest } from './interest.js';
import { compareKeys } from './key-order.js';
import { SortedEntries } from './sorted-entries.js';

export interface ListRequest extends Interest {
  /** Start behind this key. */
  readonly after?: Key;
  /** At most so many entries. Default: all. */
  readonly limit?: number;
}

export interface ListResult {
  /** The version of the state that the entries are from. */
  readonly version: Version;
  /** In byte order of (namespace, name). */
  readonly entries: readonly CacheEntry[];
  /** How many the limit cut off; unknown when a selection is at work and something was cut off. */
  readonly remaining: number | undefined;
}

/** The objects of one type at one version. */
export class State {
  #bytes = 0;
  readonly #entries: SortedEntries;
  readonly #indexes = new Map<EqualityKey, EqualityIndex>();
  /** Whole lists by namespace (undefined: all), as they were handed out since the last change. */
  readonly #whole = new Map<string | undefined, readonly CacheEntry[]>();

  constructor(
    public version: Version,
    entries: readonly CacheEntry[],
    private readonly indexed: ReadonlySet<EqualityKey>,
  ) {
    this.#entries = SortedEntries.from(entries);
    for (const entry of entries) this.#bytes += sizeOf(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: Key): CacheEntry | undefined {
    return this.#entries.get(key);
  }

  /** Puts a new state of an object in, and returns the one before. */
  set(entry: CacheEntry): CacheEntry | undefined {
    return this.#changed(this.#entries.set(entry), entry);
  }

  delete(key: Key): CacheEntry | undefined {
    return this.#changed(this.#entries.delete(key), undefined);
  }

  list({ namespace, selection, after, limit = Number.POSITIVE_INFINITY }: ListRequest): ListResult {
    const { version } = this;
    if (selection === undefined) {
      if (after === undefined && limit === Number.POSITIVE_INFINITY) {
        return { version, entries: this.#all(namespace), remaining: 0 };
      }
      const { entries, rest } = this.#entries.range(namespace, after, limit);
      return { version, entries, remaining: rest };
    }
    const interest = { ...(namespace === undefined ? {} : { namespace }), selection };
    const entries: CacheEntry[] = [];
    for (const entry of this.#candidates(interest, after)) {
      if (!concerns(interest, entry)) continue;
      if (entries.length >= limit) return { version, entries, remaining: undefined };
      entries.push(entry);
    }
    return { version, entries, remaining: 0 };
  }

  /** The same array until something changes, so that what was made of it can be used again. */
  #all(namespace: string | undefined): readonly CacheEntry[] {
    let entries = this.#whole.get(namespace);
    if (entries === undefined) {
      entries = this.#entries.range(namespace, undefined, Number.POSITIVE_INFINITY).entries;
      this.#whole.set(namespace, entries);
    }
    return entries;
  }

  /** As few entries as the equalities of the selection allow, in key order. */
  #candidates({ namespace, selection }: Interest, after: Key | undefined): Iterable<CacheEntry> {
    const equals = selection?.equals;
    const within = namespace ?? equals?.get(NAMESPACE_FIELD);
    const name = equals?.get(NAME_FIELD);
    if (name !== undefined && within !== undefined) return this.#only({ namespace: within, name }, after);
    for (const [key, value] of equals ?? []) {
      if (this.indexed.has(key)) return this.#index(key).get(value)?.iterate(within, after) ?? [];
    }
    return this.#entries.iterate(within, after);
  }

  *#only(key: Key, after: Key | undefined): Generator<CacheEntry> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (after === undefined || compareKeys(after, key) < 0) yield entry;
  }

  #index(key: EqualityKey): EqualityIndex {
    let index = this.#indexes.get(key);
    if (index === undefined) {
      index = new EqualityIndex(key, this.#entries.iterate());
      this.#indexes.set(key, index);
    }
    return index;
  }

  #changed(before: CacheEntry | undefined, after: CacheEntry | undefined): CacheEntry | undefined {
    if (this.#whole.size > 0) this.#whole.clear();
    if (before !== undefined) this.#bytes -= sizeOf(before);
    if (after !== undefined) this.#bytes += sizeOf(after);
    for (const index of this.#indexes.values()) index.change(before, after);
    return before;
  }
}
