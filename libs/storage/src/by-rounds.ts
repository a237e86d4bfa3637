/** Calls of a round of the event loop at least, and the part of all that wait: where rounds are long for other reasons, nobody waits for many of them. */
const PER_ROUND = 8;
const PART = 1 / 4;

/**
 * Makes calls in the order of their coming, a few in each round of the event loop. What a batch was for goes on all at once when
 * it has been committed: hundreds of answers are made and encrypted before anybody else is looked at, unless they are divided.
 */
export class ByRounds {
  #waiting: (() => void)[] = [];
  /** Calls that may still be made in this round as they come. */
  #left = PER_ROUND;
  #isAsked = false;
  #drained: (() => void)[] = [];

  /** @param nextRound calls back behind everything that is ready now */
  constructor(private readonly nextRound: (then: () => void) => void = setImmediate) {}

  /** Makes a call now or in one of the next rounds. It must not throw. */
  call(call: () => void): void {
    this.#askRound();
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

  #askRound(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.nextRound(() => this.#round());
  }

  #round(): void {
    this.#isAsked = false;
    const count = Math.max(PER_ROUND, Math.ceil(PART * this.#waiting.length));
    this.#left = Math.max(0, PER_ROUND - this.#waiting.length);
    if (this.#waiting.length > 0) this.#askRound();
    for (let made = 0; made < count; made++) this.#waiting.shift()?.();
    if (this.#waiting.length === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }
}
