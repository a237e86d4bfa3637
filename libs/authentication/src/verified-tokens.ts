import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Authentication } from './user.js';

/** Maximum number of cached tokens. */
const MOST = 10_000;

interface Kept {
  readonly found: Authentication;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/**
 * Cache of verified tokens until they expire, so that not every request pays for a signature. Keys are digests under a
 * key that only this process knows: the tokens themselves are not kept.
 */
export class VerifiedTokens {
  readonly #key = randomBytes(32).toString('base64');
  readonly #known: LRUCache<string, Kept>;

  /** @param now milliseconds since 1970 */
  constructor(
    private readonly now: () => number,
    most = MOST,
  ) {
    this.#known = new LRUCache({ max: most });
  }

  get(token: string): Authentication | undefined {
    const digest = this.#digest(token);
    const known = this.#known.get(digest);
    if (known && this.now() < known.until) return known.found;
    this.#known.delete(digest);
    return undefined;
  }

  /**
   * Caches a token that expires.
   * @param mostMs milliseconds for which it is cached at most
   */
  keep(token: string, found: Authentication, mostMs = Number.POSITIVE_INFINITY): void {
    if (found.expiresAt === undefined) return;
    this.#known.set(this.#digest(token), { found, until: Math.min(found.expiresAt, this.now() + mostMs) });
  }

  /** Empties the cache, when the basis of the verification has changed. */
  clear(): void {
    this.#known.clear();
  }

  #digest(token: string): string {
    return hash('sha256', this.#key + token, 'base64');
  }
}
