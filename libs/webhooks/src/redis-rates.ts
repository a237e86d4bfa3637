import type { Redis } from 'ioredis';
import { derivedKey, keptName, openRedis, RedisHealth, type RedisSettings } from './redis-connection.js';
import type { Rate, SharedRates } from './shared-rates.js';

const PREFIX = 'orch:rate:';
const MICROSECONDS = 1_000_000;
/** Time without calls of Redis after a failure, ms: requests that wait for it each time would be delayed. */
const LET_BE_MS = 1_000;

/**
 * Takes a token of a bucket, which is stored as the time at which it will be full again, in microseconds of Redis'
 * clock, so that all processes use one clock. A stored value never counts as emptier than empty, whoever has written
 * it.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, whole = tonumber(ARGV[1]), tonumber(ARGV[1]) * tonumber(ARGV[2])
local full = tonumber(redis.call('GET', KEYS[1]) or '0') or 0
full = math.min(math.max(full, now), now + whole)
if now + whole - full < interval then return 0 end
redis.call('SET', KEYS[1], string.format('%.0f', full + interval), 'PX', math.ceil(whole / 1000) + 1)
return 1
`;

/** Rate limits that all processes share through Redis, with one script call for each token. */
export class RedisRates implements SharedRates {
  readonly #redis: Redis;
  readonly #nameKey: Buffer;
  readonly #health: RedisHealth;
  #letBeUntil = Number.NEGATIVE_INFINITY;

  /** @throws RangeError for a secret that is too short, or an invalid URL */
  constructor(settings: RedisSettings) {
    this.#redis = openRedis(settings);
    this.#health = new RedisHealth(this.#redis);
    this.#nameKey = derivedKey(settings.secret, 'names of rates');
  }

  async take(parts: readonly string[], { perSecond, burst }: Rate): Promise<boolean | undefined> {
    if (performance.now() < this.#letBeUntil) return undefined;
    const name = keptName(PREFIX, this.#nameKey, parts);
    try {
      const taken = await this.#redis.eval(TAKE, 1, name, MICROSECONDS / perSecond, burst);
      this.#health.answered();
      return taken === 1;
    } catch {
      this.#health.failed();
      this.#letBeUntil = performance.now() + LET_BE_MS;
      return undefined;
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
}
