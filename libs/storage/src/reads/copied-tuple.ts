/** Length that a binary COPY gives for a null column. */
const NULL = -1;

/** The columns of one row of a binary COPY, read in their order (PostgreSQL, "COPY", "Binary Format"). */
export class CopiedTuple {
  #at: number;

  /** @param start offset of the row, which begins with the number of its columns */
  constructor(
    private readonly message: Buffer,
    start: number,
  ) {
    this.#at = start + 2;
  }

  /** A text column, empty where it is null. */
  text(): string {
    const length = this.#length();
    return length === NULL ? '' : this.message.toString('utf8', this.#at, this.#skip(length));
  }

  /** A bigint column. */
  int8(): bigint | undefined {
    const length = this.#length();
    return length === NULL ? undefined : this.message.readBigInt64BE(this.#skip(length) - length);
  }

  /** An integer column. */
  int4(): number | undefined {
    const length = this.#length();
    return length === NULL ? undefined : this.message.readInt32BE(this.#skip(length) - length);
  }

  /** A smallint column. */
  int2(): number | undefined {
    const length = this.#length();
    return length === NULL ? undefined : this.message.readInt16BE(this.#skip(length) - length);
  }

  /** Returns a view of a bytea column; callers that keep it must copy it. */
  view(): Buffer | undefined {
    const length = this.#length();
    return length === NULL ? undefined : this.message.subarray(this.#at, this.#skip(length));
  }

  /** Reads the length of the next column, and advances to its value. */
  #length(): number {
    const length = this.message.readInt32BE(this.#at);
    this.#at += 4;
    return length;
  }

  /** Advances behind the column, and returns that offset. */
  #skip(length: number): number {
    this.#at += length;
    return this.#at;
  }
}
