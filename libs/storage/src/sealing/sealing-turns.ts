import type { WriteOp } from '../store.js';

/** Bytes that are sealed before others have their turn. */
const TURN_BYTES = 256 << 10;

interface Waiting {
  readonly ops: readonly WriteOp[];
  readonly resolve: (ops: readonly WriteOp[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Seals what comes in one turn of the event loop at its end, in the order of its coming: what a cipher needs in the processor's caches is
 * fetched once for all of them. Each for itself, between two requests, takes up to four times as long.
 */
export class SealingTurns {
  #waiting: Waiting[] = [];

  /** @param seal the sealed form of a body; undefined where it is stored as it is */
  constructor(private readonly seal: (op: WriteOp) => Buffer | undefined) {}

  /** Writes with what is to be stored of them; rejects with what sealing one of them throws. */
  sealed(ops: readonly WriteOp[]): Promise<readonly WriteOp[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ops, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#turn());
    });
  }

  #turn(): void {
    let bytes = 0;
    let count = 0;
    for (const { ops, resolve, reject } of this.#waiting) {
      if (bytes >= TURN_BYTES) break;
      for (const { body } of ops) bytes += body.length;
      count++;
      try {
        resolve(ops.map((op) => this.#sealed(op)));
      } catch (error) {
        reject(error);
      }
    }
    this.#waiting.splice(0, count);
    if (this.#waiting.length > 0) setImmediate(() => this.#turn());
  }

  #sealed(op: WriteOp): WriteOp {
    const sealed = this.seal(op);
    return sealed ? { ...op, sealed } : op;
  }
}
