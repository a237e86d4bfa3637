import { createHmac, hkdfSync } from 'node:crypto';
import { requireNamedHost, trustOptions } from '@orch/tls';
import { Redis } from 'ioredis';
import { textOf } from './verdict-cache.js';

/** Where Redis is, and what protects what is kept there. */
export interface RedisSettings {
  /** `redis://` or `rediss://` URL, with user, password and database where there are such. */
  readonly url: string;
  /** Known to all processes of the installation and to nobody else; at least 32 bytes. */
  readonly secret: Buffer;
  /** Bundle that the certificate of Redis must chain to, PEM. Default: the roots that Node ships. */
  readonly ca?: string;
  /** How long Redis may take before it is done without, ms. Default 100. */
  readonly timeoutMs?: number;
  /** Hears why Redis cannot be used. */
  readonly onError: (error: unknown) => void;
}

/** The least secret, bytes. */
export const LEAST_SECRET = 32;
const LONGEST_WAIT_MS = 5_000;

/**
 * Connects, and goes on trying: what cannot be asked now fails at once.
 * @throws RangeError for a secret that is too short, or a URL that is none
 */
export function openRedis({ url, secret, ca, timeoutMs = 100, onError }: RedisSettings): Redis {
  if (secret.length < LEAST_SECRET) throw new RangeError(`the secret has less than ${LEAST_SECRET} bytes`);
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
    throw new RangeError('the address is not of the form redis://host:port or rediss://host:port');
  const isSecure = ca !== undefined || new URL(url).protocol === 'rediss:';
  const redis = new Redis(url, {
    lazyConnect: true,
    // Whatever release of Redis it is.
    protocol: 2,
    // What cannot be asked now is not asked at all.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: LONGEST_WAIT_MS,
    retryStrategy: (times) => Math.min(100 * times, LONGEST_WAIT_MS),
    ...(isSecure && { tls: { ...trustOptions(ca), checkServerIdentity: requireNamedHost } }),
  });
  // The text alone: what was sent, a password perhaps, goes with the error.
  redis.on('error', (error: Error) => onError(new Error(error.message)));
  redis.connect().catch(() => undefined);
  return redis;
}

/** How long a question without an answer is remembered, ms: nobody may ask for a while. */
const REMEMBERED_MS = 30_000;

/** Knows whether Redis answers, by what it is asked for. */
export class RedisHealth {
  #failedAt = Number.NEGATIVE_INFINITY;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly redis: Pick<Redis, 'status'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** It is connected, and no question has lately gone without an answer. */
  get isUsable(): boolean {
    return this.redis.status === 'ready' && this.now() - this.#failedAt > REMEMBERED_MS;
  }

  /** Records a response. */
  answered(): void {
    this.#failedAt = Number.NEGATIVE_INFINITY;
  }

  /** Records a command that failed or timed out. */
  failed(): void {
    this.#failedAt = this.now();
  }
}

/** A key of its own for each use of the secret. */
export const derivedKey = (secret: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `orch ${use}`, 32));

/** The name under which what parts say together is kept: a digest under a key. */
export const keptName = (prefix: string, key: Buffer, parts: readonly string[]): string =>
  prefix + createHmac('sha256', key).update(textOf(parts)).digest('base64url');
