import type { Key } from '@orch/storage';
import type { CacheEntry } from './cache-entry.js';
import { compareKeys } from './key-order.js';

/** Entries of a chunk at most; a full one is split in two. */
const CHUNK = 512;

/** A position: the chunk, and the place in it. */
interface Position {
  readonly chunk: number;
  readonly index: number;
}

/**
 * Entries in key order, in chunks: two binary searches find a key, an insertion moves at most a chunk, and iteration is
 * that of arrays. A namespace is a range, as namespaces sort first.
 */
export class SortedEntries {
  #chunks: CacheEntry[][] = [];
  #size = 0;

  /** From entries that are in order already. */
  static from(entries: readonly CacheEntry[]): SortedEntries {
    const sorted = new SortedEntries();
    const step = CHUNK / 2;
    for (let at = 0; at < entries.length; at += step) sorted.#chunks.push(entries.slice(at, at + step));
    sorted.#size = entries.length;
    return sorted;
  }

  get size(): number {
    return this.#size;
  }

  get(key: Key): CacheEntry | undefined {
    const { chunk, index } = this.#lowerBound(key);
    const entry = this.#chunks[chunk]?.[index];
    return entry !== undefined && entry.name === key.name && entry.namespace === key.namespace ? entry : undefined;
  }

  /** Puts an entry in its place and returns the one that stood there. */
  set(entry: CacheEntry): CacheEntry | undefined {
    const { chunk, index } = this.#lowerBound(entry);
    const entries = this.#chunks[chunk];
    const standing = entries?.[index];
    if (standing !== undefined && compareKeys(standing, entry) === 0) {
      entries?.splice(index, 1, entry);
      return standing;
    }
    this.#insert(entry, chunk, index);
    return undefined;
  }

  delete(key: Key): CacheEntry | undefined {
    const { chunk, index } = this.#lowerBound(key);
    const entries = this.#chunks[chunk];
    const standing = entries?.[index];
    if (entries === undefined || standing === undefined || compareKeys(standing, key) !== 0) return undefined;
    entries.splice(index, 1);
    if (entries.length === 0) this.#chunks.splice(chunk, 1);
    this.#size--;
    return standing;
  }

  /** Entries of one namespace, or of all, behind a key. */
  *iterate(namespace?: string, after?: Key): Generator<CacheEntry> {
    const start = this.#start(namespace, after);
    for (let chunk = start.chunk; chunk < this.#chunks.length; chunk++) {
      const entries = this.#chunks[chunk] ?? [];
      for (let index = chunk === start.chunk ? start.index : 0; index < entries.length; index++) {
        const entry = entries[index];
        if (entry === undefined || (namespace !== undefined && entry.namespace !== namespace)) return;
        yield entry;
      }
    }
  }

  /** As `iterate`, at most `limit` of them, gathered; and how many more there are. */
  range(namespace: string | undefined, after: Key | undefined, limit: number): { entries: CacheEntry[]; rest: number } {
    const start = this.#start(namespace, after);
    const end =
      namespace === undefined
        ? { chunk: this.#chunks.length, index: 0 }
        : this.#lowerBound({ namespace: `${namespace}\0`, name: '' });
    const total = this.#distance(start, end);
    const entries: CacheEntry[] = [];
    const wanted = Math.min(total, limit);
    for (let chunk = start.chunk; entries.length < wanted; chunk++) {
      const source = this.#chunks[chunk] ?? [];
      const first = chunk === start.chunk ? start.index : 0;
      const last = Math.min(source.length, first + wanted - entries.length);
      for (let index = first; index < last; index++) entries.push(source[index] as CacheEntry);
    }
    return { entries, rest: total - wanted };
  }

  #start(namespace: string | undefined, after: Key | undefined): Position {
    const first = namespace === undefined ? undefined : { namespace, name: '' };
    if (after === undefined || (first !== undefined && compareKeys(after, first) < 0)) {
      return first === undefined ? { chunk: 0, index: 0 } : this.#lowerBound(first);
    }
    // No string lies between a name and the same name with a zero byte appended.
    return this.#lowerBound({ namespace: after.namespace, name: `${after.name}\0` });
  }

  #distance(start: Position, end: Position): number {
    if (start.chunk === end.chunk) return Math.max(0, end.index - start.index);
    let distance = -start.index;
    for (let chunk = start.chunk; chunk < end.chunk; chunk++) distance += this.#chunks[chunk]?.length ?? 0;
    return Math.max(0, distance + end.index);
  }

  /** Where the first entry not below the key stands, or would stand: within the chunk that holds its predecessor. */
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

  #insert(entry: CacheEntry, chunk: number, index: number): void {
    this.#size++;
    const entries = this.#chunks[chunk];
    if (entries === undefined) {
      this.#chunks.push([entry]);
      return;
    }
    entries.splice(index, 0, entry);
    if (entries.length > CHUNK) this.#chunks.splice(chunk + 1, 0, entries.splice(CHUNK / 2));
  }
}
