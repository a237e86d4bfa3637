import { hash } from 'node:crypto';
import { TokenBucket } from '@orch/runtime/work';
import type { Rate } from '@orch/webhooks';

/** Characters of a key that are kept; of a longer one, which clients may make as long as a body, its hash is. */
const LONGEST_KEY = 256;

/** A rate for each of many keys, each on its own. The one that was not asked about for the longest time is forgotten first. */
export class TokenBuckets {
  /** Those asked about last stand at the end. */
  readonly #buckets = new Map<string, TokenBucket>();

  /**
   * @param most keys that are known at a time
   * @param now monotonic milliseconds
   */
  constructor(
    private readonly rate: Rate,
    private readonly most: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @returns whether there was one left */
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

  /** What is kept of those that are known. */
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
