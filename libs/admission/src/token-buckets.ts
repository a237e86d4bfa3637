import { hash } from 'node:crypto';
import type { Rate } from '@orch/webhooks';

/** Characters of a key that are kept; of a longer one, which clients may make as long as a body, its hash is. */
const LONGEST_KEY = 256;

interface Bucket {
  tokens: number;
  /** Monotonic milliseconds at which it held that many. */
  at: number;
}

/** A rate for each of many keys, each on its own. The one that was not asked about for the longest time is forgotten first. */
export class TokenBuckets {
  /** Those asked about last stand at the end. */
  readonly #buckets = new Map<string, Bucket>();

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
    const now = this.now();
    const known = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, known.tokens + ((now - known.at) / 1000) * perSecond);
    const isLeft = tokens >= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: isLeft ? tokens - 1 : tokens, at: now });
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
