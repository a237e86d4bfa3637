import { readFile } from 'node:fs/promises';
import type { Logger } from '@orch/runtime';
import { RedisVerdicts } from '@orch/webhooks';
import type { ServingOptions } from '../server/options.js';

/** How often it is said that Redis cannot be used, at most, ms. */
const SAY_EVERY_MS = 60_000;

/**
 * Where this process shares verdicts of webhooks with others; undefined where it does not.
 * @throws Error for options that cannot be used, or a file that cannot be read; it never holds a secret
 */
export async function openSharedVerdicts(options: ServingOptions, logger: Logger): Promise<RedisVerdicts | undefined> {
  const { redisUrl: url, redisKeyFile, redisCaFile } = options;
  if (url === undefined) return undefined;
  if (redisKeyFile === undefined) throw new RangeError('--redis-url needs --redis-key-file');
  const secret = Buffer.from((await readFile(redisKeyFile, 'utf8')).trim());
  const ca = redisCaFile === undefined ? undefined : await readFile(redisCaFile, 'utf8');
  try {
    return new RedisVerdicts({ url, secret, ...(ca !== undefined && { ca }), onError: seldom(logger) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RangeError(why.includes('secret') ? `--redis-key-file: ${why}` : `--redis-url: ${why}`);
  }
}

function seldom(logger: Logger): (error: unknown) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (Date.now() - saidAt < SAY_EVERY_MS) return;
    saidAt = Date.now();
    logger.error('Redis cannot be used, webhooks are asked instead', error);
  };
}
