/** When a webhook that gives no answer is not asked for a while. */
export interface BreakerSettings {
  /** Calls in a row without an answer after which it is not asked; 0 for never. */
  readonly failures: number;
  /** How long it is not asked at first, ms; twice as long after each call for nothing. */
  readonly firstWaitMs: number;
  /** The longest that it is not asked, ms. */
  readonly maxWaitMs: number;
}

/** `closed`: it is asked. `open`: it is not. `half-open`: one call finds out. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Remembers of one webhook whether there is any use in asking. */
export class Breaker {
  #failures = 0;
  #waitMs = 0;
  #until = 0;
  #probing = false;
  #lastFailure = '';

  /** @param now monotonic milliseconds */
  constructor(
    private readonly settings: BreakerSettings,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get state(): BreakerState {
    if (this.#until === 0) return 'closed';
    return this.#probing || this.now() >= this.#until ? 'half-open' : 'open';
  }

  /** Calls in a row without an answer. */
  get failures(): number {
    return this.#failures;
  }

  /** Why the last call had no answer; empty where it had one. */
  get lastFailure(): string {
    return this.#lastFailure;
  }

  /** Milliseconds until it is asked again; 0 where it is. */
  get waitMs(): number {
    return Math.max(0, this.#until - this.now());
  }

  /** Whether it may be called; whoever is let through tells what came of it. */
  enter(): boolean {
    if (this.#until === 0) return true;
    if (this.#probing || this.now() < this.#until) return false;
    this.#probing = true;
    return true;
  }

  /** It has answered, whatever it said. */
  answered(): void {
    this.#failures = 0;
    this.#waitMs = 0;
    this.#until = 0;
    this.#probing = false;
    this.#lastFailure = '';
  }

  /** Nothing came of a call for reasons of whoever called. */
  gaveUp(): void {
    this.#probing = false;
  }

  /** There was no answer. */
  failed(why: string): void {
    const { failures, firstWaitMs, maxWaitMs } = this.settings;
    this.#failures++;
    this.#lastFailure = why;
    this.#probing = false;
    // Those that were under way when it opened say nothing new.
    if (failures === 0 || this.#failures < failures || this.now() < this.#until) return;
    this.#waitMs = Math.min(maxWaitMs, this.#waitMs === 0 ? firstWaitMs : 2 * this.#waitMs);
    this.#until = this.now() + this.#waitMs;
  }
}
