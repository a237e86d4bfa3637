import { type Clock, systemClock } from '../clock.js';
import { Backoff } from './backoff.js';

interface WorkOnDemandOptions {
  /** Called with the error of a round that failed; it is retried, each time after twice as long, from 250 ms to 5 s. */
  readonly onError: (error: unknown) => void;
  /** Milliseconds from the end of a round to the next one at the earliest; default 0. */
  readonly restMs?: number;
  readonly clock?: Clock;
}

const RETRY = { firstMs: 250, longestMs: 5_000 };

/**
 * Runs work in rounds, one at a time: a request during a round causes one further round, shared with all other
 * requests. It is for work that every process does for itself and that has no keys; a request does not shorten the wait
 * after a failure, as adding a key to a `WorkQueue` does.
 */
export class WorkOnDemand {
  readonly #clock: Clock;
  #asked = false;
  #running: Promise<void> | undefined;
  #cancelRest: (() => void) | undefined;
  /** The next round that is scheduled for later. */
  #later: { readonly at: number; readonly cancel: () => void } | undefined;
  #restsUntil = Number.NEGATIVE_INFINITY;
  readonly #backoff = new Backoff(RETRY);
  #stopped = false;

  constructor(
    private readonly round: () => Promise<void>,
    private readonly options: WorkOnDemandOptions,
  ) {
    this.#clock = options.clock ?? systemClock;
  }

  /** Has a round begin, now or when the one under way and its rest are over. */
  ask(): void {
    this.#asked = true;
    this.#next();
  }

  /** Has a round begin after so many milliseconds, unless one begins sooner. */
  askIn(ms: number): void {
    const at = this.#clock.now() + ms;
    if (this.#stopped || (this.#later && this.#later.at <= at)) return;
    this.#later?.cancel();
    this.#later = { at, cancel: this.#clock.after(ms, () => this.ask()) };
  }

  /** Begins no more rounds. Resolves when the one under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRest?.();
    this.#later?.cancel();
    await this.#running;
  }

  #next(): void {
    if (!this.#asked || this.#running || this.#stopped || this.#cancelRest) return;
    const rest = this.#restsUntil - this.#clock.now();
    if (rest > 0) {
      this.#cancelRest = this.#clock.after(rest, () => {
        this.#cancelRest = undefined;
        this.#next();
      });
      return;
    }
    this.#asked = false;
    this.#later?.cancel();
    this.#later = undefined;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.#next();
    });
  }

  async #run(): Promise<void> {
    const { onError, restMs = 0 } = this.options;
    let rest = restMs;
    try {
      await this.round();
      this.#backoff.reset();
    } catch (error) {
      onError(error);
      this.#asked = true;
      rest = this.#backoff.next();
    }
    this.#restsUntil = this.#clock.now() + rest;
  }
}
