import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Redis } from 'ioredis';
import { type Kept, type SharedVerdicts, textOf } from './verdict-cache.js';

/** Where Redis is, and what protects what is kept there. */
export interface RedisVerdictsSettings {
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
  /** Milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/** The least secret, bytes. */
export const LEAST_SECRET = 32;
const PREFIX = 'orch:verdict:';
/** Verdicts that are larger are not shared, bytes. */
const MOST_BYTES = 64 << 10;
const MAC_LENGTH = 43;
const LONGEST_WAIT_MS = 5_000;

/**
 * Keeps verdicts in Redis. Whoever can write there can make none up, move none to another question, and give back none whose time is
 * over: each is authenticated together with its name and its end. Names are digests under a key. When Redis is slow, gone or says
 * something else, verdicts are not there.
 */
export class RedisVerdicts implements SharedVerdicts {
  readonly #redis: Redis;
  readonly #nameKey: Buffer;
  readonly #valueKey: Buffer;

  /** @throws RangeError for a secret that is too short, or a URL that is none */
  constructor(private readonly settings: RedisVerdictsSettings) {
    const { url, secret, ca, timeoutMs = 100, onError } = settings;
    if (secret.length < LEAST_SECRET) throw new RangeError(`the secret has less than ${LEAST_SECRET} bytes`);
    if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
      throw new RangeError('the address is not of the form redis://host:port or rediss://host:port');
    this.#nameKey = derived(secret, 'names of verdicts');
    this.#valueKey = derived(secret, 'values of verdicts');
    this.#redis = new Redis(url, {
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
      ...(ca !== undefined && { tls: { ca } }),
    });
    // The text alone: what was sent, a password perhaps, goes with the error.
    this.#redis.on('error', (error: Error) => onError(new Error(error.message)));
    this.#redis.connect().catch(() => undefined);
  }

  /** What any process has kept; nothing when Redis is slow or gone. */
  async get(parts: readonly string[]): Promise<Kept<unknown> | undefined> {
    const name = this.#name(parts);
    try {
      return this.#opened(name, await this.#redis.getrange(name, 0, MOST_BYTES));
    } catch {
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
    } catch {
      // The next one who asks pays for it.
    }
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
    return PREFIX + createHmac('sha256', this.#nameKey).update(textOf(parts)).digest('base64url');
  }

  #mac(name: string, text: string): string {
    return createHmac('sha256', this.#valueKey).update(`${name}\n${text}`).digest('base64url');
  }

  #now(): number {
    return (this.settings.now ?? Date.now)();
  }
}

const derived = (secret: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `orch ${use}`, 32));

/** In a time that says nothing about how much of them is alike. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}
