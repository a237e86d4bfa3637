import type { Version } from '@orch/storage';

/** A head that was read before all changes up to it were delivered. */
interface UnconfirmedHead {
  readonly head: Version;
  /** Monotonic ms at which it was read. */
  readonly asOf: number;
}

/** Maximum number of heads kept. */
const MAX_HEADS = 16;

/**
 * Heads that were read and are not yet reached, in the order of reading, which is that of their versions. Bounded,
 * however often heads are read while changes cannot be: beyond the bound only the newest is kept, and the ones between
 * are confirmed later, with that.
 */
export class UnconfirmedHeads {
  #heads: UnconfirmedHead[] = [];

  /** Number of unconfirmed heads. */
  get size(): number {
    return this.#heads.length;
  }

  /** Adds a head that was read; beyond the bound, or if it is equal, it replaces the last one. */
  add(read: UnconfirmedHead): void {
    const last = this.#heads.at(-1);
    if (last !== undefined && (last.head === read.head || this.#heads.length >= MAX_HEADS)) this.#heads.pop();
    this.#heads.push(read);
  }

  /** Removes the reached heads and returns the newest of them. */
  reached(delivered: Version): UnconfirmedHead | undefined {
    const count = this.#heads.findIndex(({ head }) => head > delivered);
    const reached = count < 0 ? this.#heads : this.#heads.slice(0, count);
    if (reached.length > 0) this.#heads = this.#heads.slice(reached.length);
    return reached.at(-1);
  }

  /** Drops all heads. */
  clear(): void {
    this.#heads = [];
  }
}
