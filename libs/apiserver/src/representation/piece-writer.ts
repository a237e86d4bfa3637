/** Size of the pieces that a list goes out in: large enough that a write per piece costs nothing beside the copy. */
const PIECE_BYTES = 128 * 1024;

/** Gathers many small writes into few large buffers. */
export class PieceWriter {
  #piece = Buffer.allocUnsafe(PIECE_BYTES);
  #length = 0;
  readonly #full: Buffer[] = [];

  /** Appends ASCII or Latin-1 text. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#length += this.#piece.write(text, this.#length, 'latin1');
  }

  bytes(source: Buffer, from = 0): void {
    const length = source.length - from;
    if (length > PIECE_BYTES) {
      this.#flush();
      this.#full.push(from === 0 ? source : source.subarray(from));
      return;
    }
    this.#reserve(length);
    source.copy(this.#piece, this.#length, from);
    this.#length += length;
  }

  /** The next finished piece, if there is one. */
  shift(): Buffer | undefined {
    return this.#full.shift();
  }

  /** What is left, as the last pieces. */
  end(): Buffer[] {
    this.#flush();
    return this.#full.splice(0);
  }

  #reserve(length: number): void {
    if (this.#length + length <= PIECE_BYTES) return;
    this.#flush();
  }

  #flush(): void {
    if (this.#length === 0) return;
    this.#full.push(this.#piece.subarray(0, this.#length));
    this.#piece = Buffer.allocUnsafe(PIECE_BYTES);
    this.#length = 0;
  }
}
