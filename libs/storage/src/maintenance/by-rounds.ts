/**
 * Calls made per round of the event loop: at least this many, and at least a fixed part of all that wait, so that the
 * queue does not grow where rounds are long for other reasons.
 */
const PER_ROUND = 8;
const PART = 1 / 4;

/**
 * Makes calls in order of arrival, a few in each round of the event loop. All callers of a batch resume at once when it
 * has been committed: hundreds of answers would be made and encrypted before any other work runs, unless they are
 * spread out.
 */
export class ByRounds {
  #waiting: (() => void)[] = [];
  /** Calls that may still be made at once in this round. */
  #left = PER_ROUND;
  #isAsked = false;
  #drained: (() => void)[] = [];

  /** @param nextRound calls back behind everything that is ready now */
  constructor(private readonly nextRound: (then: () => void) => void = setImmediate) {}

  /** Makes a call now or in one of the next rounds. It must not throw. */
  call(call: () => void): void {
    this.#requestRound();
    if (this.#left > 0 && this.#waiting.length === 0) {
      this.#left--;
      call();
    } else this.#waiting.push(call);
  }

  /** Resolves when all calls have been made. */
  drained(): Promise<void> {
    return this.#waiting.length === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#drained.push(resolve);
        });
  }

  #requestRound(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.nextRound(() => this.#round());
  }

  #round(): void {
    this.#isAsked = false;
    const count = Math.max(PER_ROUND, Math.ceil(PART * this.#waiting.length));
    this.#left = Math.max(0, PER_ROUND - this.#waiting.length);
    if (this.#waiting.length > 0) this.#requestRound();
    for (let made = 0; made < count; made++) this.#waiting.shift()?.();
    if (this.#waiting.length === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }
}
