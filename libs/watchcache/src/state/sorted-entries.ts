import type { Key } from '@orch/storage';
import type { CacheEntry } from './cache-entry.js';
import { compareKeys } from './key-order.js';

/** Maximum number of entries of a chunk; a full one is split in two. */
const CHUNK = 256;
/** Bytes of bodies above which a chunk of several entries is split. */
const CHUNK_BYTES = 256 << 10;
/** A chunk with fewer entries is joined to a neighbour, if both together are no more than half of a chunk. */
const SPARSE = 16;
/** Cached parts of one chunk. */
const PARTS = 8;

/** Immutable entries in key order: results derived from them stay valid as long as they live. */
export type Page = readonly CacheEntry[];

/** Parts of chunks that were returned before, so that the same part is the same page again. */
const parts = new WeakMap<Page, Map<string, Page>>();

/** A position: the chunk, and the index in it. */
interface Position {
  readonly chunk: number;
  readonly index: number;
}

/**
 * Entries in key order, in immutable chunks: two binary searches find a key, a change replaces one chunk by a copy, and
 * chunks that were returned do not change. A namespace is a range, as namespaces sort first.
 */
export class SortedEntries {
  #chunks: Page[] = [];
  #size = 0;
  /** Bytes of the last chunk as far as they were appended. */
  #appended = 0;

  /** From entries that are in order already. */
  static from(entries: Page): SortedEntries {
    const sorted = new SortedEntries();
    for (const entry of entries) sorted.append(entry);
    return sorted;
  }

  /** Appends an entry behind all others, while the list is being built and was not used yet. */
  append(entry: CacheEntry): void {
    const last = this.#chunks.at(-1) as CacheEntry[] | undefined;
    this.#appended += entry.body.length;
    if (last !== undefined && last.length < CHUNK / 2 && this.#appended <= CHUNK_BYTES) {
      last.push(entry);
    } else {
      this.#chunks.push([entry]);
      this.#appended = entry.body.length;
    }
    this.#size++;
  }

  get size(): number {
    return this.#size;
  }

  get(key: Key): CacheEntry | undefined {
    const { chunk, index } = this.#lowerBound(key);
    const entry = this.#chunks[chunk]?.[index];
    return entry !== undefined && entry.name === key.name && entry.namespace === key.namespace ? entry : undefined;
  }

  /** Inserts an entry and returns the one that it replaces. */
  set(entry: CacheEntry): CacheEntry | undefined {
    const { chunk, index } = this.#lowerBound(entry);
    const entries = this.#chunks[chunk] ?? [];
    const standing = entries[index];
    const replaces = standing !== undefined && compareKeys(standing, entry) === 0;
    if (!replaces) this.#size++;
    const copy = entries.slice();
    copy.splice(index, replaces ? 1 : 0, entry);
    const grown = entry.body.length > (replaces ? standing.body.length : 0);
    if (grown && isTooLarge(copy)) {
      const middle = copy.length >> 1;
      this.#chunks.splice(chunk, 1, copy.slice(0, middle), copy.slice(middle));
    } else {
      this.#chunks[chunk] = copy;
    }
    return replaces ? standing : undefined;
  }

  delete(key: Key): CacheEntry | undefined {
    const { chunk, index } = this.#lowerBound(key);
    const entries = this.#chunks[chunk];
    const standing = entries?.[index];
    if (entries === undefined || standing === undefined || compareKeys(standing, key) !== 0) return undefined;
    this.#size--;
    const copy = entries.slice();
    copy.splice(index, 1);
    if (copy.length === 0) this.#chunks.splice(chunk, 1);
    else this.#chunks[chunk] = copy;
    if (copy.length > 0 && copy.length < SPARSE && !this.#join(chunk)) this.#join(chunk - 1);
    return standing;
  }

  /** Joins a chunk and the next, if together they are small. */
  #join(chunk: number): boolean {
    const [first, second] = this.#chunks.slice(Math.max(0, chunk), chunk + 2);
    if (first === undefined || second === undefined || !areSmall(first, second)) return false;
    this.#chunks.splice(chunk, 2, [...first, ...second]);
    return true;
  }

  /** Iterates entries of one namespace, or of all, behind a key: nothing may be changed meanwhile. */
  *iterate(namespace?: string, after?: Key): Generator<CacheEntry> {
    for (const page of this.range(namespace, after, Number.POSITIVE_INFINITY).pages) yield* page;
  }

  /**
   * Returns entries of one namespace, or of all, behind a key, at most `limit` of them; and how many more there are.
   * Unchanged pages are the same instances as returned before.
   */
  range(namespace: string | undefined, after: Key | undefined, limit: number): { pages: Page[]; rest: number } {
    const start = this.#start(namespace, after);
    const end =
      namespace === undefined
        ? { chunk: this.#chunks.length, index: 0 }
        : this.#lowerBound({ namespace: `${namespace}\0`, name: '' });
    const total = this.#distance(start, end);
    const pages: Page[] = [];
    let wanted = Math.min(total, limit);
    for (let chunk = start.chunk; wanted > 0; chunk++) {
      const source = this.#chunks[chunk] ?? [];
      const from = chunk === start.chunk ? start.index : 0;
      const to = Math.min(source.length, from + wanted);
      if (to > from) pages.push(partOf(source, from, to));
      wanted -= to - from;
    }
    return { pages, rest: total - Math.min(total, limit) };
  }

  #start(namespace: string | undefined, after: Key | undefined): Position {
    const first = namespace === undefined ? undefined : { namespace, name: '' };
    if (after === undefined || (first !== undefined && compareKeys(after, first) < 0)) {
      return first === undefined ? { chunk: 0, index: 0 } : this.#lowerBound(first);
    }
    // No string is between a name and the same name with a zero byte appended.
    return this.#lowerBound({ namespace: after.namespace, name: `${after.name}\0` });
  }

  #distance(start: Position, end: Position): number {
    if (start.chunk >= end.chunk) return start.chunk > end.chunk ? 0 : Math.max(0, end.index - start.index);
    let distance = -start.index;
    for (let chunk = start.chunk; chunk < end.chunk; chunk++) distance += this.#chunks[chunk]?.length ?? 0;
    return Math.max(0, distance + end.index);
  }

  /** Position of the first entry not below the key, or where it would be: within the chunk of its predecessor. */
  #lowerBound(key: Key): Position {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && compareKeys(first, key) <= 0) low = middle;
      else high = middle - 1;
    }
    const entries = this.#chunks[low] ?? [];
    let from = 0;
    let to = entries.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const entry = entries[middle];
      if (entry !== undefined && compareKeys(entry, key) < 0) from = middle + 1;
      else to = middle;
    }
    return { chunk: low, index: from };
  }
}

function bytesOf(entries: Page): number {
  let bytes = 0;
  for (const { body } of entries) bytes += body.length;
  return bytes;
}

function isTooLarge(entries: Page): boolean {
  return entries.length > CHUNK || (entries.length > 1 && bytesOf(entries) > CHUNK_BYTES);
}

function areSmall(first: Page, second: Page): boolean {
  return first.length + second.length <= CHUNK / 2 && bytesOf(first) + bytesOf(second) <= CHUNK_BYTES / 2;
}

function partOf(chunk: Page, from: number, to: number): Page {
  if (from === 0 && to === chunk.length) return chunk;
  const name = `${from}-${to}`;
  const known = parts.get(chunk) ?? new Map<string, Page>();
  let part = known.get(name);
  if (part === undefined) {
    part = chunk.slice(from, to);
    if (known.size >= PARTS) known.clear();
    known.set(name, part);
    parts.set(chunk, known);
  }
  return part;
}
