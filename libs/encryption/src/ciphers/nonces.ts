import { randomFillSync } from 'node:crypto';

/** Bytes generated at once: each call of the generator costs as much as a sixth of sealing a small body. */
const DRAWN_BYTES = 4_096;

/** Random bytes of one length for nonces and initialization vectors, which are not secret. */
export class Nonces {
  readonly #drawn: Buffer;
  #next: number;

  constructor(private readonly length: number) {
    this.#drawn = Buffer.alloc(DRAWN_BYTES - (DRAWN_BYTES % length));
    this.#next = this.#drawn.length;
  }

  /** Returns another nonce each time; it must be copied before the next call. */
  next(): Buffer {
    if (this.#next === this.#drawn.length) {
      randomFillSync(this.#drawn);
      this.#next = 0;
    }
    const at = this.#next;
    this.#next += this.length;
    return this.#drawn.subarray(at, this.#next);
  }
}
