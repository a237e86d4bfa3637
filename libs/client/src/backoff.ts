/** Waits `ms`, less when `signal` aborts; resolves either way. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const timerSleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });

interface BackoffSettings {
  /** First wait and longest wait, ms. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** 0 to 1, for the jitter. */
  readonly random: () => number;
}

/** Waits that double up to a limit; each is drawn from the upper half of its span, so that clients spread out. */
export class Backoff {
  #span: number;

  constructor(readonly settings: BackoffSettings) {
    this.#span = settings.firstMs;
  }

  /** The next wait, ms. */
  next(): number {
    const span = this.#span;
    this.#span = Math.min(span * 2, this.settings.longestMs);
    return span * (0.5 + this.settings.random() / 2);
  }

  /** Things went well: the next wait is a first one again. */
  reset(): void {
    this.#span = this.settings.firstMs;
  }
}
