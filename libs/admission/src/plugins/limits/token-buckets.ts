import { hash } from 'node:crypto';
import { TokenBucket } from '@orch/runtime/work';
import type { Rate } from '@orch/webhooks';

/**
 * Most characters of a key that is kept as it is. A longer one, which clients may make as long as a body, is kept as
 * its hash.
 */
const LONGEST_KEY = 256;

/** A rate limit for each of many keys. The key that was not used for the longest time is forgotten first. */
export class TokenBuckets {
  /** Buckets by key; those used last stand at the end. */
  readonly #buckets = new Map<string, TokenBucket>();

  /**
   * @param most keys that are tracked at a time
   * @param now monotonic milliseconds
   */
  constructor(
    private readonly rate: Rate,
    private readonly most: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes a token of a key. @returns whether there was one left */
  take(counted: string): boolean {
    const key = counted.length <= LONGEST_KEY ? counted : hash('sha256', counted, 'base64');
    const { perSecond, burst } = this.rate;
    const bucket = this.#buckets.get(key) ?? new TokenBucket(perSecond, burst, this.now);
    const isLeft = bucket.take();
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > this.most) this.#forgetOldest();
    return isLeft;
  }

  /** The tracked keys, as they are kept. */
  get known(): Iterable<string> {
    return this.#buckets.keys();
  }

  #forgetOldest(): void {
    for (const key of this.#buckets.keys()) {
      this.#buckets.delete(key);
      return;
    }
  }
}
