/** Size of the pieces of a list: large enough that the cost of a write is negligible beside the copy. */
const PIECE_BYTES = 128 * 1024;

/** Joins many small writes into few large buffers. */
export class PieceWriter {
  #piece: Buffer | undefined;
  #length = 0;
  readonly #full: Buffer[] = [];

  /** @param capacity bytes of a piece */
  constructor(private readonly capacity = PIECE_BYTES) {}

  /** Appends ASCII or Latin-1 text. */
  ascii(text: string): void {
    const piece = this.#reserve(text.length);
    this.#length += piece.write(text, this.#length, 'latin1');
  }

  /**
   * Appends a range of a buffer. A range longer than a piece becomes a piece of its own without a copy, and must not be
   * modified afterwards.
   */
  bytes(source: Buffer, from = 0, to = source.length): void {
    const length = to - from;
    if (length > this.capacity) {
      this.#flush();
      this.#full.push(length === source.length ? source : source.subarray(from, to));
      return;
    }
    const piece = this.#reserve(length);
    source.copy(piece, this.#length, from, to);
    this.#length += length;
  }

  /** Removes and returns the next finished piece, if there is one. */
  shift(): Buffer | undefined {
    return this.#full.shift();
  }

  /** Returns the remaining pieces, the unfinished one among them. */
  end(): Buffer[] {
    this.#flush();
    return this.#full.splice(0);
  }

  /** Returns all that remains as one buffer without spare capacity. */
  whole(): Buffer {
    const pieces = this.end();
    const [only] = pieces;
    const exact = pieces.length === 1 && only !== undefined && only.length * 2 >= this.capacity;
    return exact ? only : Buffer.concat(pieces);
  }

  #reserve(length: number): Buffer {
    if (this.#length + length > this.capacity) this.#flush();
    this.#piece ??= Buffer.allocUnsafe(this.capacity);
    return this.#piece;
  }

  #flush(): void {
    if (this.#piece === undefined || this.#length === 0) return;
    this.#full.push(this.#piece.subarray(0, this.#length));
    this.#piece = undefined;
    this.#length = 0;
  }
}
