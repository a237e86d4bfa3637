import { setTimeout as sleep } from 'node:timers/promises';

interface ClosingWatchSettings {
  /** Rejects, or stays pending, while the database does not answer. */
  readonly ping: () => Promise<void>;
  /** Milliseconds without an answer after which the database is given up. */
  readonly patience: number;
  /** Fails everything that waits for the database, now and later. */
  readonly giveUp: () => Promise<void>;
}

/**
 * Watches the database while the process shuts down. Parts that are stopped one after another would otherwise each wait
 * for an absent database as long as a request does.
 */
export class ClosingWatch {
  readonly #ended = new AbortController();

  constructor(private readonly settings: ClosingWatchSettings) {
    void this.#watch();
  }

  /** Ends the watch: the database is not given up any more. */
  stop(): void {
    this.#ended.abort();
  }

  async #watch(): Promise<void> {
    const { ping, patience, giveUp } = this.settings;
    const { signal } = this.#ended;
    const nap = (milliseconds: number) => sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
    let answered = performance.now();
    while (!signal.aborted) {
      const left = answered + patience - performance.now();
      if (left <= 0) return giveUp();
      const answers = await Promise.race([
        ping()
          .then(() => true)
          .catch(() => false),
        nap(left).then(() => false),
      ]);
      if (answers) answered = performance.now();
      await nap(Math.min(patience / 4, Math.max(0, answered + patience - performance.now())));
    }
  }
}
