/** Calls of a round of the event loop. */
const PER_ROUND = 8;

/**
 * Makes calls in the order of their coming, a few in each round of the event loop. What a batch was for goes on all at once when
 * it has been committed: hundreds of answers are made and encrypted before anybody else is looked at, unless they are divided.
 */
export class ByRounds {
  #waiting: (() => void)[] = [];
  #made = 0;
  #isAsked = false;
  #drained: (() => void)[] = [];

  /** @param nextRound calls back behind everything that is ready now */
  constructor(private readonly nextRound: (then: () => void) => void = setImmediate) {}

  /** Makes a call now or in one of the next rounds. */
  call(call: () => void): void {
    if (this.#made < PER_ROUND) {
      this.#made++;
      call();
    } else this.#waiting.push(call);
    this.#askRound();
  }

  /** Resolves when all calls have been made. */
  drained(): Promise<void> {
    return this.#waiting.length === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#drained.push(resolve);
        });
  }

  #askRound(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.nextRound(() => {
      this.#isAsked = false;
      const calls = this.#waiting.splice(0, PER_ROUND);
      this.#made = calls.length;
      for (const call of calls) call();
      if (this.#made > 0) this.#askRound();
      if (this.#waiting.length === 0) for (const resolve of this.#drained.splice(0)) resolve();
    });
  }
}
