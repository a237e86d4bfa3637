import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Redis } from 'ioredis';
import { derivedKey, keptName, openRedis, RedisHealth, type RedisSettings } from './redis-connection.js';
import type { ExpiringValue, SharedVerdicts } from './verdict-cache.js';

/** Settings of the connection to Redis, and a clock. */
export interface RedisVerdictsSettings extends RedisSettings {
  /** Returns milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number;
}

const PREFIX = 'orch:verdict:';
/** Largest verdict that is shared, bytes. */
const MOST_BYTES = 64 << 10;
const MAC_LENGTH = 43;

/**
 * Shares verdicts through Redis. A party that can write there cannot forge a verdict, move one to another request, or
 * replay an expired one: each is authenticated together with its name and its expiry. Names are keyed digests. If Redis
 * is slow, unavailable or answers anything else, there is no verdict.
 */
export class RedisVerdicts implements SharedVerdicts {
  readonly #redis: Redis;
  readonly #nameKey: Buffer;
  readonly #valueKey: Buffer;
  readonly #health: RedisHealth;

  /** @throws RangeError for a secret that is too short, or an invalid URL */
  constructor(private readonly settings: RedisVerdictsSettings) {
    this.#redis = openRedis(settings);
    this.#health = new RedisHealth(this.#redis);
    this.#nameKey = derivedKey(settings.secret, 'names of verdicts');
    this.#valueKey = derivedKey(settings.secret, 'values of verdicts');
  }

  /** Returns the verdict that any process has stored; undefined if Redis is slow or unavailable. */
  async get(parts: readonly string[]): Promise<ExpiringValue<unknown> | undefined> {
    const name = this.#name(parts);
    try {
      const found = await this.#redis.getrange(name, 0, MOST_BYTES);
      this.#health.answered();
      return this.#opened(name, found);
    } catch {
      this.#health.failed();
      return undefined;
    }
  }

  /** Stores a verdict. Resolves once it is stored, or storing has failed. */
  async set(parts: readonly string[], { value, until }: ExpiringValue<unknown>): Promise<void> {
    const left = Math.ceil(until - this.#now());
    if (left <= 0) return;
    const name = this.#name(parts);
    const text = JSON.stringify({ until, value });
    if (Buffer.byteLength(text) > MOST_BYTES - MAC_LENGTH) return;
    try {
      await this.#redis.set(name, this.#mac(name, text) + text, 'PX', left);
      this.#health.answered();
    } catch {
      this.#health.failed();
      // The next request has to obtain the verdict again.
    }
  }

  /** Whether Redis answers, as far as is known. */
  get isUsable(): boolean {
    return this.#health.isUsable;
  }

  /** Ends the connection. */
  close(): void {
    this.#redis.disconnect();
  }

  #opened(name: string, sealed: string): ExpiringValue<unknown> | undefined {
    const [mac, text] = [sealed.slice(0, MAC_LENGTH), sealed.slice(MAC_LENGTH)];
    if (text === '' || !isSame(mac, this.#mac(name, text))) return undefined;
    const kept = JSON.parse(text) as ExpiringValue<unknown>;
    return this.#now() < kept.until ? kept : undefined;
  }

  #name(parts: readonly string[]): string {
    return keptName(PREFIX, this.#nameKey, parts);
  }

  #mac(name: string, text: string): string {
    return createHmac('sha256', this.#valueKey).update(`${name}\n${text}`).digest('base64url');
  }

  #now(): number {
    return (this.settings.now ?? Date.now)();
  }
}

/** Compares in constant time, so that the duration does not reveal how much is equal. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}
