/** Bytes of an object above which its frames are shared by all references: smaller ones are copied into pieces. */
export const LARGE = 16 << 10;

/** Position of a piece in the memory of its frame. */
interface Place {
  readonly offset: number;
  readonly length: number;
}

/** A frame by the memory that most of it is in, which exists while any part of it is referenced. */
interface Held {
  readonly memory: WeakRef<ArrayBufferLike>;
  /** Positions of pieces in the memory; pieces elsewhere, which are short, as they are. */
  readonly pieces: readonly (Buffer | Place)[];
}

/**
 * Finds the frames of large objects that are still referenced, such as by the connection of a client that does not
 * read. So all watches that get the same frame hold the same bytes, however far apart in time, and whatever their
 * selectors. Keeps no frame itself.
 */
export class LargeFrames {
  readonly #held = new Map<string, Held>();
  readonly #gone = new FinalizationRegistry<string>((name) => {
    if (this.#held.get(name)?.memory.deref() === undefined) this.#held.delete(name);
  });

  /**
   * Returns the frame of a large object, and makes it if none is referenced.
   * @param name of frames that are equal
   */
  frame(name: string, make: () => readonly Buffer[]): readonly Buffer[] {
    const known = this.#held.get(name);
    const memory = known?.memory.deref();
    if (known !== undefined && memory !== undefined) return piecesIn(memory, known);
    const made = make();
    const { buffer } = made.reduce((longest, piece) => (piece.length > longest.length ? piece : longest));
    const pieces = made.map((piece) =>
      piece.buffer === buffer ? { offset: piece.byteOffset, length: piece.length } : piece,
    );
    this.#held.set(name, { memory: new WeakRef(buffer), pieces });
    this.#gone.register(buffer, name);
    return made;
  }

  /** Stops finding earlier frames. */
  clear(): void {
    this.#held.clear();
  }
}

const piecesIn = (memory: ArrayBufferLike, { pieces }: Held): Buffer[] =>
  pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : Buffer.from(memory, piece.offset, piece.length)));
