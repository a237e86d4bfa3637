import { tooManyRequests } from '@orch/machinery';
import { dueTo } from '../limit-errors.js';

/** Seconds after which a client may retry. */
const RETRY_SECONDS = 1;

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/**
 * Bounds the bytes of concurrent work: work may begin while the total fits the bound, or nothing else is in progress;
 * the rest waits, first come first served.
 */
export class ByteGate {
  #held = 0;
  readonly #waiting = new Set<Waiting>();

  /**
   * @param patience milliseconds that a request may wait before it is refused
   * @param what in the message of a refusal: what there is too much of
   */
  constructor(
    private readonly maxBytes: number,
    private readonly patience: number,
    private readonly what: string,
  ) {}

  /** Resolves with a function to call, once, when the work is done. @throws StatusError 429 */
  async enter(bytes: number): Promise<() => void> {
    if (this.#waiting.size === 0 && this.#fits(bytes)) this.#held += bytes;
    else await this.#turn(bytes);
    return () => {
      this.#held -= bytes;
      this.#admit();
    };
  }

  #fits(bytes: number): boolean {
    return this.#held === 0 || this.#held + bytes <= this.maxBytes;
  }

  #admit(): void {
    for (const { bytes, admit } of [...this.#waiting]) {
      if (!this.#fits(bytes)) return;
      this.#held += bytes;
      admit();
    }
  }

  #turn(bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        bytes,
        admit: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(dueTo('conversions', tooManyRequests(`too many ${this.what}`, RETRY_SECONDS)));
        // Those queued behind it may be smaller, and fit.
        this.#admit();
      }, this.patience);
      this.#waiting.add(waiting);
    });
  }
}
