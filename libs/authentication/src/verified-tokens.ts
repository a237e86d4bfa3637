import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Authentication } from './user.js';

/** Tokens that are kept, at most. */
const MOST = 10_000;

/**
 * Tokens that were found good, so that not every request pays for a signature, until they expire. They are known by a digest
 * under a key that only this process knows: the tokens themselves are not here.
 */
export class VerifiedTokens {
  readonly #key = randomBytes(32).toString('base64');
  readonly #known: LRUCache<string, Authentication>;

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
    if (known?.expiresAt !== undefined && this.now() < known.expiresAt) return known;
    this.#known.delete(digest);
    return undefined;
  }

  /** Only what ends is kept. */
  keep(token: string, known: Authentication): void {
    if (known.expiresAt !== undefined) this.#known.set(this.#digest(token), known);
  }

  /** What they were found good by has changed. */
  clear(): void {
    this.#known.clear();
  }

  #digest(token: string): string {
    return hash('sha256', this.#key + token, 'base64');
  }
}
