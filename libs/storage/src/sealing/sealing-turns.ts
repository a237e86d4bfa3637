import type { WriteOp } from '../face/store.js';

/** Milliseconds of sealing before other work runs. */
const TURN_MS = 1;

interface Waiting {
  readonly ops: readonly WriteOp[];
  readonly resolve: (ops: readonly WriteOp[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Seals everything that arrives in one turn of the event loop at its end, in order of arrival, so that the cipher's
 * code and tables are loaded into the processor's caches once for all of them. Sealing each on arrival, between two
 * requests, takes up to four times as long.
 */
export class SealingTurns {
  #waiting: Waiting[] = [];

  /** @param seal returns the sealed form of a body; undefined if it is stored as is */
  constructor(private readonly seal: (op: WriteOp) => Buffer | undefined) {}

  /** Returns the writes with their sealed bodies; rejects with the error of sealing one of them. */
  sealed(ops: readonly WriteOp[]): Promise<readonly WriteOp[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ops, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#turn());
    });
  }

  /** Resolves when nothing waits, and callers that waited have resumed. */
  async drained(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0);
  }

  #turn(): void {
    const began = performance.now();
    let done = 0;
    for (const { ops, resolve, reject } of this.#waiting) {
      done++;
      try {
        resolve(ops.map((op) => this.#sealed(op)));
      } catch (error) {
        reject(error);
      }
      if (performance.now() - began >= TURN_MS) break;
    }
    this.#waiting.splice(0, done);
    if (this.#waiting.length > 0) setImmediate(() => this.#turn());
  }

  #sealed(op: WriteOp): WriteOp {
    const sealed = this.seal(op);
    return sealed ? { ...op, sealed } : op;
  }
}
