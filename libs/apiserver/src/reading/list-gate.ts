import { tooManyRequests } from '@orch/machinery';

/** Seconds after which a client may ask again. */
const RETRY_SECONDS = 1;

/**
 * Lets so many lists read from the database at a time, each of which holds a connection and a bounded piece of memory for as
 * long as its client takes; the others wait, first come first served.
 */
export class ListGate {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param patience milliseconds that a list waits before it is refused */
  constructor(
    concurrent: number,
    private readonly patience: number,
  ) {
    this.#free = concurrent;
  }

  /** Resolves with what lets the next one in; calling it again does nothing. @throws StatusError 429 */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#turn();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave();
    };
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#free++;
  }

  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const admitted = () => {
        clearTimeout(timer);
        this.#waiting.delete(admitted);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(admitted);
        reject(tooManyRequests('too many lists are being read from the database', RETRY_SECONDS));
      }, this.patience);
      this.#waiting.add(admitted);
    });
  }
}
