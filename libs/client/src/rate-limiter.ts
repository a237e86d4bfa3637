import { TokenBucket } from '@orch/runtime/work';
import type { Sleep } from './sleep.js';

/** Limits the rate of requests: a burst, then a number per second, in order of arrival. */
export class RateLimiter {
  readonly #bucket: TokenBucket;

  /** @param now milliseconds of a monotonic clock */
  constructor(
    perSecond: number,
    burst: number,
    private readonly sleep: Sleep,
    now: () => number = () => performance.now(),
  ) {
    this.#bucket = new TokenBucket(perSecond, burst, now);
  }

  /** Waits for a token. @throws the reason of `signal`, which returns the token */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const ms = this.#bucket.reserve();
    if (ms === 0) return;
    await this.sleep(ms, signal);
    if (!signal?.aborted) return;
    this.#bucket.giveBack();
    throw signal.reason;
  }
}
