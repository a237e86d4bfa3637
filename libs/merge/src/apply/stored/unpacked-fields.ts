import { ownBytes } from './own-bytes.js';

/** Packed fields of one entry, and their text. */
interface UnpackedFields {
  readonly packed: Buffer;
  /** Text, one character per byte. */
  readonly text: string;
}

/** Cached fields of one writer. */
const EACH = 8;
/** Bytes of all that are kept; beyond that all are dropped. */
const MOST = 8 << 20;
/** Estimated bytes for keeping one beside its bytes and characters. */
const OVERHEAD = 500;
/** Characters of a text that may be kept. */
const LONGEST = 32 << 10;

/**
 * Cache of recently unpacked fields, by their writer. The end of packed fields is not known before they are unpacked;
 * but none are a prefix of others, so bytes that begin like known ones are the same.
 */
export class LatelyUnpacked {
  readonly #known = new Map<string, UnpackedFields[]>();
  #held = 0;

  /** Estimated bytes of the kept ones. */
  get held(): number {
    return this.#held;
  }

  /** Returns the cached fields of a writer that `bytes` hold at a position, if any. */
  at(writer: string, bytes: Buffer, at: number): UnpackedFields | undefined {
    return this.#known.get(writer)?.find(({ packed }) => {
      const end = at + packed.length;
      return end <= bytes.length && packed.compare(bytes, at, end) === 0;
    });
  }

  /** @param packed a part of a larger buffer, which is not kept */
  keep(writer: string, packed: Buffer, text: string): void {
    if (text.length > LONGEST) return;
    this.#held += OVERHEAD + writer.length + packed.length + text.length;
    if (this.#held > MOST) {
      this.#known.clear();
      this.#held = OVERHEAD + writer.length + packed.length + text.length;
    }
    const others = this.#known.get(writer) ?? [];
    const kept = { packed: ownBytes(packed), text: flat(text) };
    this.#known.set(writer, [kept, ...others.slice(0, EACH - 1)]);
  }
}

/** Flattens a text: a concatenated one would retain all of its pieces. */
const flat = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');
