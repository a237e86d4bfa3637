import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Redis } from 'ioredis';
import { derivedKey, keptName, openRedis, RedisHealth, type RedisSettings } from './redis-connection.js';
import type { Kept, SharedVerdicts } from './verdict-cache.js';

/** Where Redis is, and what protects what is kept there. */
export interface RedisVerdictsSettings extends RedisSettings {
  /** Milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

const PREFIX = 'orch:verdict:';
/** Verdicts that are larger are not shared, bytes. */
const MOST_BYTES = 64 << 10;
const MAC_LENGTH = 43;

/**
 * Keeps verdicts in Redis. Whoever can write there can make none up, move none to another question, and give back none whose time is
 * over: each is authenticated together with its name and its end. Names are digests under a key. When Redis is slow, gone or says
 * something else, verdicts are not there.
 */
export class RedisVerdicts implements SharedVerdicts {
  readonly #redis: Redis;
  readonly #nameKey: Buffer;
  readonly #valueKey: Buffer;
  readonly #health: RedisHealth;

  /** @throws RangeError for a secret that is too short, or a URL that is none */
  constructor(private readonly settings: RedisVerdictsSettings) {
    this.#redis = openRedis(settings);
    this.#health = new RedisHealth(this.#redis);
    this.#nameKey = derivedKey(settings.secret, 'names of verdicts');
    this.#valueKey = derivedKey(settings.secret, 'values of verdicts');
  }

  /** What any process has kept; nothing when Redis is slow or gone. */
  async get(parts: readonly string[]): Promise<Kept<unknown> | undefined> {
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

  /** Resolves when it is there, or cannot be. */
  async set(parts: readonly string[], { value, until }: Kept<unknown>): Promise<void> {
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
      // The next one who asks pays for it.
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

  #opened(name: string, sealed: string): Kept<unknown> | undefined {
    const [mac, text] = [sealed.slice(0, MAC_LENGTH), sealed.slice(MAC_LENGTH)];
    if (text === '' || !isSame(mac, this.#mac(name, text))) return undefined;
    const kept = JSON.parse(text) as Kept<unknown>;
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

/** In a time that says nothing about how much of them is alike. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}
