import type { RedisSettings } from './redis-connection.js';
import type { RedisRates } from './redis-rates.js';
import type { RedisVerdicts, RedisVerdictsSettings } from './redis-verdicts.js';

// The client of Redis is loaded here: a process without Redis starts faster.

/** Opens verdicts that are shared through Redis. @throws RangeError for a secret that is too short, or an invalid URL */
export async function openRedisVerdicts(settings: RedisVerdictsSettings): Promise<RedisVerdicts> {
  const { RedisVerdicts } = await import('./redis-verdicts.js');
  return new RedisVerdicts(settings);
}

/** Opens rates that are shared through Redis. @throws RangeError for a secret that is too short, or an invalid URL */
export async function openRedisRates(settings: RedisSettings): Promise<RedisRates> {
  const { RedisRates } = await import('./redis-rates.js');
  return new RedisRates(settings);
}
