import type { Sleep } from './backoff.js';

/** A bucket of tokens: so many at once, then so many a second, in the order in which they are asked for. */
export class RateLimiter {
  #tokens: number;
  #filledAt: number;

  /** `now`: milliseconds, never going back. */
  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly sleep: Sleep,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#tokens = burst;
    this.#filledAt = now();
  }

  /** Waits for a token. @throws the reason of `signal`, which gives the token back */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const now = this.now();
    this.#tokens = Math.min(this.burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.perSecond);
    this.#filledAt = now;
    this.#tokens -= 1;
    if (this.#tokens >= 0) return;
    await this.sleep((-this.#tokens / this.perSecond) * 1000, signal);
    if (!signal?.aborted) return;
    this.#tokens += 1;
    throw signal.reason;
  }
}
