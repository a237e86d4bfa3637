import { createHmac, hkdfSync } from 'node:crypto';
import { requireNamedHost, trustOptions } from '@orch/tls';
import { Redis } from 'ioredis';
import { textOf } from './verdict-cache.js';

/** Address of Redis, and the secret that protects the data in it. */
export interface RedisSettings {
  /** `redis://` or `rediss://` URL, with user, password and database if needed. */
  readonly url: string;
  /** Secret shared by all processes of the installation and known to nobody else; at least 32 bytes. */
  readonly secret: Buffer;
  /** Bundle that the certificate of Redis must chain to, PEM. Default: the roots that Node ships. */
  readonly ca?: string;
  /** Time that a command may take before its failure is assumed, ms. Default 100. */
  readonly timeoutMs?: number;
  /** Receives the reasons why Redis is unusable. */
  readonly onError: (error: unknown) => void;
}

/** Smallest length of the secret, bytes. */
const LEAST_SECRET = 32;
const LONGEST_WAIT_MS = 5_000;

/**
 * Connects to Redis and reconnects whenever the connection is lost; commands without a connection fail at once.
 * @throws RangeError for a secret that is too short, or an invalid URL
 */
export function openRedis({ url, secret, ca, timeoutMs = 100, onError }: RedisSettings): Redis {
  if (secret.length < LEAST_SECRET) throw new RangeError(`the secret has less than ${LEAST_SECRET} bytes`);
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
    throw new RangeError('the address is not of the form redis://host:port or rediss://host:port');
  const isSecure = ca !== undefined || new URL(url).protocol === 'rediss:';
  const redis = new Redis(url, {
    lazyConnect: true,
    // Every release of Redis supports this version.
    protocol: 2,
    // Commands that cannot be sent now fail at once.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: LONGEST_WAIT_MS,
    retryStrategy: (times) => Math.min(100 * times, LONGEST_WAIT_MS),
    ...(isSecure && { tls: { ...trustOptions(ca), checkServerIdentity: requireNamedHost } }),
  });
  // Only the message is passed on: the error itself holds the command, which may contain a password.
  redis.on('error', (error: Error) => onError(new Error(error.message)));
  redis.connect().catch(() => undefined);
  return redis;
}

/** Time for which Redis counts as unusable after a failure, ms: there may be no further command for a while. */
const REMEMBERED_MS = 30_000;

/** Tracks whether Redis answers, by the outcomes of commands. */
export class RedisHealth {
  #failedAt = Number.NEGATIVE_INFINITY;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly redis: Pick<Redis, 'status'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether Redis is connected, and no command has failed recently. */
  get isUsable(): boolean {
    return this.redis.status === 'ready' && this.now() - this.#failedAt > REMEMBERED_MS;
  }

  /** Records a command that was answered. */
  answered(): void {
    this.#failedAt = Number.NEGATIVE_INFINITY;
  }

  /** Records a command that failed. */
  failed(): void {
    this.#failedAt = this.now();
  }
}

/** Derives a separate key for each use of the secret. */
export const derivedKey = (secret: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `orch ${use}`, 32));

/** Returns the name in Redis for a list of parts: a prefix and a keyed digest of them. */
export const keptName = (prefix: string, key: Buffer, parts: readonly string[]): string =>
  prefix + createHmac('sha256', key).update(textOf(parts)).digest('base64url');
