import { type Deflated, deflate } from './deflate.js';
import type { SharedPiece } from './piece.js';

/** Cached bytes of one page in one encoding; empty once they have been evicted. */
interface Kept {
  plain: Buffer | undefined;
  deflated: Promise<Deflated> | undefined;
  bytes: number;
}

/** Statistics of a {@link PieceCache}. */
export interface PieceCacheStats {
  /** Bytes that are cached now. */
  readonly bytes: number;
  /** Number of pieces that were found in the cache. */
  readonly hits: number;
  /** Number of pieces that had to be encoded or compressed. */
  readonly misses: number;
}

/**
 * Caches the encoded and compressed bytes of pages that are sent more than once, such as those of lists from memory
 * until one of their objects changes. Evicts the least recently used.
 */
export class PieceCache {
  /** Entries by page and encoding; undefined for one that has been requested once. */
  readonly #pages = new WeakMap<object, Map<string, Kept | undefined>>();
  /** Entries that hold bytes, the least recently used first. */
  readonly #used = new Set<Kept>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  /** @param maxBytes maximum size of the cache; 0 caches nothing */
  constructor(private readonly maxBytes: number) {}

  /** Returns size, hits and misses so far. */
  stats(): PieceCacheStats {
    return { bytes: this.#bytes, hits: this.#hits, misses: this.#misses };
  }

  /**
   * @param page source of the bytes; immutable
   * @param key equal for equal bytes of the page
   * @param size approximate length of the bytes
   */
  piece(page: object, key: string, size: number, encode: () => Buffer): SharedPiece {
    const kept = this.#keptOf(page, key);
    if (!kept) {
      this.#misses++;
      return { size, bytes: encode, deflated: () => deflate(encode()) };
    }
    return { size, bytes: () => this.#plain(kept, encode), deflated: () => this.#deflated(kept, encode) };
  }

  /** Returns the entry of a page; undefined for the first request of a page, which may never be requested again. */
  #keptOf(page: object, key: string): Kept | undefined {
    let forms = this.#pages.get(page);
    if (!forms) {
      forms = new Map();
      this.#pages.set(page, forms);
    }
    const known = forms.get(key);
    if (known || this.maxBytes === 0) return known;
    forms.set(key, forms.has(key) ? { plain: undefined, deflated: undefined, bytes: 0 } : undefined);
    return forms.get(key);
  }

  #plain(kept: Kept, encode: () => Buffer): Buffer {
    this.#count(kept.plain !== undefined);
    const plain = kept.plain ?? encode();
    if (!kept.plain) this.#grow(kept, plain.buffer.byteLength);
    kept.plain = plain;
    this.#touch(kept);
    return plain;
  }

  #deflated(kept: Kept, encode: () => Buffer): Promise<Deflated> {
    this.#count(kept.deflated !== undefined);
    if (!kept.deflated) {
      const made = deflate(kept.plain ?? encode());
      kept.deflated = made;
      made.then(
        ({ blocks }) => {
          if (kept.deflated !== made) return;
          this.#grow(kept, blocks.length);
          this.#evict();
        },
        () => {
          if (kept.deflated === made) kept.deflated = undefined;
        },
      );
    }
    const { deflated } = kept;
    this.#touch(kept);
    return deflated;
  }

  #count(there: boolean): void {
    if (there) this.#hits++;
    else this.#misses++;
  }

  #grow(kept: Kept, bytes: number): void {
    kept.bytes += bytes;
    this.#bytes += bytes;
  }

  #touch(kept: Kept): void {
    this.#used.delete(kept);
    this.#used.add(kept);
    this.#evict();
  }

  #evict(): void {
    for (const oldest of this.#used) {
      if (this.#bytes <= this.maxBytes) return;
      this.#used.delete(oldest);
      this.#bytes -= oldest.bytes;
      oldest.plain = undefined;
      oldest.deflated = undefined;
      oldest.bytes = 0;
    }
  }
}
