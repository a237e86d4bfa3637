import type { Clock } from '@orch/runtime/clock';
import type { Key, Version } from '@orch/storage';
import { concerns, type Interest } from '../fan-out/interest.js';
import { type EqualityKey, NAME_FIELD, NAMESPACE_FIELD, type Selection } from './attributes.js';
import { type CacheEntry, sizeOf } from './cache-entry.js';
import { describing } from './describing.js';
import { IndexSet } from './index-set.js';
import { compareKeys } from './key-order.js';
import { inSlices } from './slices.js';
import { type Page, SortedEntries } from './sorted-entries.js';

/** Number of objects above which an index saves more than it costs. */
const INDEX_FROM = 500;

/** A list from memory, of the newest state. */
export interface CacheListRequest extends Interest {
  /** Start after this key. */
  readonly after?: Key;
  /** Maximum number of entries. Default: all. */
  readonly limit?: number;
}

/** Result of a list, valid for ever: later changes make new pages. */
export interface ListResult {
  /** The version of the state that the entries are from. */
  readonly version: Version;
  /**
   * Pages in byte order of (namespace, name). They are immutable; without a selection, pages of unchanged parts of the
   * state are the same objects in every list, so that results derived from one can be cached with it.
   */
  readonly pages: readonly Page[];
  /** Number of entries that the limit cut off; unknown with a selection if any were. */
  readonly remaining: number | undefined;
}

/** The objects of one type at one version. */
export class State {
  #bytes = 0;
  readonly #entries: SortedEntries;
  readonly #indexes: IndexSet;
  /** Entries that are not in the served version: in no index. */
  readonly #failed: SortedEntries;

  constructor(
    public version: Version,
    entries: readonly CacheEntry[],
    maxIndexes: number,
  ) {
    this.#entries = SortedEntries.from(entries);
    this.#indexes = new IndexSet(maxIndexes);
    this.#failed = SortedEntries.from(entries.filter(({ failure }) => failure !== undefined));
    for (const entry of entries) this.#bytes += sizeOf(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Estimated bytes of the indexes. */
  get indexBytes(): number {
    return this.#indexes.bytes;
  }

  get indexes(): number {
    return this.#indexes.size;
  }

  /** Objects that could not be converted to the served version, in key order. */
  get failed(): Iterable<CacheEntry> {
    return this.#failed.iterate();
  }

  get(key: Key): CacheEntry | undefined {
    return this.#entries.get(key);
  }

  /** Sets a new state of an object, and returns the one before. */
  set(entry: CacheEntry): CacheEntry | undefined {
    return this.#changed(this.#entries.set(entry), entry);
  }

  delete(key: Key): CacheEntry | undefined {
    return this.#changed(this.#entries.delete(key), undefined);
  }

  list({ namespace, selection, after, limit = Number.POSITIVE_INFINITY }: CacheListRequest): ListResult {
    const { version } = this;
    if (selection === undefined) {
      const { pages, rest } = this.#entries.range(namespace, after, limit);
      return { version, pages, remaining: rest };
    }
    const interest = { ...(namespace === undefined ? {} : { namespace }), selection };
    const entries: CacheEntry[] = [];
    for (const entry of this.#candidates(interest, after)) {
      if (!concerns(interest, entry)) continue;
      if (entries.length >= limit) return { version, pages: [entries], remaining: undefined };
      entries.push(entry);
    }
    return { version, pages: entries.length === 0 ? [] : [entries], remaining: 0 };
  }

  /**
   * Prepares what a list of this interest needs, a few milliseconds at a time while changes go on: the indexes that it
   * can use, or without any the attributes for matching.
   */
  async prepare(interest: Interest, clock: Clock): Promise<void> {
    const { namespace, selection } = interest;
    if (selection === undefined || this.#named(interest) !== undefined) return;
    const keys = this.#indexable(selection).map(([key]) => key);
    if (await this.#indexes.prepare(keys, () => this.#pages(undefined), clock)) return;
    if (selection.equals?.has(NAME_FIELD) !== true) await inSlices(clock, describing(this.#pages(namespace)));
  }

  #pages(namespace: string | undefined): readonly Page[] {
    return this.#entries.range(namespace, undefined, Number.POSITIVE_INFINITY).pages;
  }

  /** Returns as few entries as the equalities of the selection allow, in key order. */
  #candidates(interest: Interest, after: Key | undefined): Iterable<CacheEntry> {
    const key = this.#named(interest);
    if (key !== undefined) return this.#only(key, after);
    const found = this.#indexes.find(this.#indexable(interest.selection));
    const within = this.#within(interest);
    if (found === undefined) return this.#entries.iterate(within, after);
    const indexed = found === 'none' ? [] : found.iterate(within, after);
    return this.#failed.size === 0 ? indexed : inKeyOrder(indexed, this.#failed.iterate(within, after));
  }

  /** Key of the only object that an interest can select. */
  #named(interest: Interest): Key | undefined {
    const name = interest.selection?.equals?.get(NAME_FIELD);
    const namespace = name === undefined ? undefined : this.#within(interest);
    return name === undefined || namespace === undefined ? undefined : { namespace, name };
  }

  /** Equalities that an index may answer: only the name if there is one, as that needs no parsing. */
  #indexable(selection: Selection | undefined): [EqualityKey, string][] {
    if (this.size < INDEX_FROM) return [];
    const equals = [...(selection?.equals ?? [])];
    const named = equals.filter(([key]) => key === NAME_FIELD);
    return named.length > 0 ? named : equals.filter(([key]) => key !== NAMESPACE_FIELD);
  }

  /** Objects of cluster-scoped types have the empty namespace. */
  #within({ namespace, selection }: Interest): string | undefined {
    const within = namespace ?? selection?.equals?.get(NAMESPACE_FIELD);
    if (within !== undefined) return within;
    const [first] = this.#entries.range(undefined, undefined, 1).pages;
    return first?.[0]?.namespace === '' ? '' : undefined;
  }

  *#only(key: Key, after: Key | undefined): Generator<CacheEntry> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (after === undefined || compareKeys(after, key) < 0) yield entry;
  }

  #changed(before: CacheEntry | undefined, after: CacheEntry | undefined): CacheEntry | undefined {
    if (before !== undefined) this.#bytes -= sizeOf(before);
    if (after !== undefined) this.#bytes += sizeOf(after);
    const [knownBefore, knownAfter] = [before, after].map((entry) => (entry?.failure ? undefined : entry));
    if (knownBefore !== before && before !== undefined) this.#failed.delete(before);
    if (knownAfter !== after && after !== undefined) this.#failed.set(after);
    this.#indexes.change(knownBefore, knownAfter);
    return before;
  }
}

/** Merges two disjoint sets of entries. */
function* inKeyOrder(some: Iterable<CacheEntry>, others: Iterable<CacheEntry>): Generator<CacheEntry> {
  const rest = others[Symbol.iterator]();
  let other = rest.next();
  for (const entry of some) {
    for (; !other.done && compareKeys(other.value, entry) < 0; other = rest.next()) yield other.value;
    yield entry;
  }
  for (; !other.done; other = rest.next()) yield other.value;
}
