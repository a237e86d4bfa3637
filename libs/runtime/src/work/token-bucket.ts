/** A rate limit with bursts: a number of tokens at once, then a number per second, in the order of the calls. */
export class TokenBucket {
  #tokens: number;
  /** Monotonic milliseconds at which it held that many. */
  #filledAt: number;

  /**
   * @param perSecond tokens that come back in a second
   * @param burst tokens that it holds at most, and from the start
   * @param now monotonic milliseconds
   */
  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly now: () => number,
  ) {
    this.#tokens = burst;
    this.#filledAt = now();
  }

  /** Reserves a token. Returns the milliseconds until it may be used; 0 if it is available. */
  reserve(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.perSecond) * 1_000;
  }

  /** Takes a token if there is one. Returns whether there was. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Gives back a token that was reserved and not used. */
  giveBack(): void {
    this.#tokens = Math.min(this.burst, this.#tokens + 1);
  }

  #fill(): void {
    const now = this.now();
    this.#tokens = Math.min(this.burst, this.#tokens + ((now - this.#filledAt) / 1_000) * this.perSecond);
    this.#filledAt = now;
  }
}
