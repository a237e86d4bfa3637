import { readFile } from 'node:fs/promises';
import type { Logger } from '@orch/runtime';
import {
  openRedisRates,
  openRedisVerdicts,
  type RedisRates,
  type RedisSettings,
  type RedisVerdicts,
} from '@orch/webhooks';
import type { CredentialOptions } from './credential-options.js';

/** Least time between two log entries about Redis being unavailable, ms. */
const SAY_EVERY_MS = 60_000;

/**
 * Opens the cache in which this process shares verdicts of webhooks with others; undefined where it does not share
 * them.
 * @throws Error for options that cannot be used, or a file that cannot be read; it never holds a secret
 */
export const openSharedVerdicts = (options: CredentialOptions, logger: Logger): Promise<RedisVerdicts | undefined> =>
  opened(options, openRedisVerdicts, complaint(logger, 'webhooks are asked instead'));

/** Opens the rate limits that this process shares with others; otherwise like {@link openSharedVerdicts}. */
export const openSharedRates = (options: CredentialOptions, logger: Logger): Promise<RedisRates | undefined> =>
  opened(options, openRedisRates, complaint(logger, 'each process keeps to rates by itself'));

async function opened<T>(
  { redisUrl: url, redisKeyFile, redisCaFile }: CredentialOptions,
  open: (settings: RedisSettings) => Promise<T>,
  onError: (error: unknown) => void,
): Promise<T | undefined> {
  if (url === undefined) return undefined;
  if (redisKeyFile === undefined) throw new RangeError('--redis-url needs --redis-key-file');
  const secret = Buffer.from((await readFile(redisKeyFile, 'utf8')).trim());
  const ca = redisCaFile === undefined ? undefined : await readFile(redisCaFile, 'utf8');
  try {
    return await open({ url, secret, ...(ca !== undefined && { ca }), onError });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RangeError(why.includes('secret') ? `--redis-key-file: ${why}` : `--redis-url: ${why}`);
  }
}

function complaint(logger: Logger, instead: string): (error: unknown) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (Date.now() - saidAt < SAY_EVERY_MS) return;
    saidAt = Date.now();
    logger.error(`Redis cannot be used, ${instead}`, error);
  };
}
