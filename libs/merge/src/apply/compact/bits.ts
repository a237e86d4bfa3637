/** A set of small numbers. */
export class Bits {
  readonly #bytes: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Room for the numbers below `size`; none is in it. */
  static room(size: number): Bits {
    return new Bits(new Uint8Array((size + 7) >> 3));
  }

  /** Puts a number in. */
  add(number: number): void {
    const at = number >> 3;
    this.#bytes[at] = (this.#bytes[at] as number) | (1 << (number & 7));
  }

  /** Whether a number is in. */
  has(number: number): boolean {
    return (((this.#bytes[number >> 3] ?? 0) >> (number & 7)) & 1) === 1;
  }

  /** As text: how many bytes of zeros stand first, and in base64 the bytes from there to the last that is none. */
  toString(): string {
    const bytes = this.#bytes;
    let [first, last] = [0, bytes.length];
    while (first < last && bytes[first] === 0) first++;
    while (last > first && bytes[last - 1] === 0) last--;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + first, last - first).toString('base64url');
    return first === 0 ? text : `${first}.${text}`;
  }

  /** Reads a text; undefined for what is none, or holds numbers from `size` on. */
  static parse(text: string, size: number): Bits | undefined {
    const match = TEXT.exec(text);
    if (!match) return undefined;
    const content = Buffer.from(match[2] as string, 'base64url');
    const first = Number(match[1] ?? 0);
    const room = Bits.room(size);
    if (first + content.length > room.#bytes.length) return undefined;
    room.#bytes.set(content, first);
    for (let number = size; number < room.#bytes.length * 8; number++) if (room.has(number)) return undefined;
    return room;
  }
}

const TEXT = /^(?:(\d{1,9})\.)?([A-Za-z0-9_-]*)$/;
