import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A value and its expiry. */
export interface ExpiringValue<V> {
  /** The value. */
  readonly value: V;
  /** Expiry, milliseconds since 1970. */
  readonly until: number;
}

/**
 * Verdicts that the processes of an installation share. Neither call ever fails: what is unavailable counts as missing.
 */
export interface SharedVerdicts {
  /** Returns the verdict stored for these parts, unless it has expired. */
  get(parts: readonly string[]): Promise<ExpiringValue<unknown> | undefined>;
  /** Stores a verdict until it expires. */
  set(parts: readonly string[], kept: ExpiringValue<unknown>): Promise<void>;
}

/** Receives the events of a cache, for metrics. */
export interface VerdictObserver {
  /** A lookup begins. @returns a function to be called at its end, with whether the verdict was cached here */
  asked(): (hit: boolean) => void;
  /** A lookup waits for a verdict that is being obtained. @returns a function to be called at its end */
  waits(): () => void;
  /** A verdict is being obtained. @returns a function to be called at its end, with whether that succeeded */
  finding(): (found: boolean) => void;
}

/** Settings of a cache of verdicts. */
export interface VerdictCacheSettings<V> {
  /** Returns how long a verdict is cached, ms; 0 for not at all. */
  readonly keptFor: (verdict: V) => number;
  /** Most verdicts that are cached. Default 32,768. */
  readonly most?: number;
  /** Shared verdicts: read for what is not cached here, and extended with new ones. */
  readonly shared?: SharedVerdicts;
  /** Whether a verdict is shared with other processes. Default: each is. */
  readonly tells?: (verdict: V) => boolean;
  /** Reads a verdict that another process has shared; undefined for an invalid one. Needed with `shared`. */
  readonly read?: (value: unknown) => V | undefined;
  /** Receives the events of the cache. Default: none. */
  readonly observer?: VerdictObserver;
  /** Returns milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number;
}

const done = () => undefined;

/**
 * Caches verdicts for a time, and obtains each once for all concurrent lookups of it. The subject may be secret: only a
 * digest of it is kept, under a key that this process alone has. A failure is not cached.
 */
export class VerdictCache<V> {
  readonly #key = randomBytes(32).toString('base64');
  readonly #kept: LRUCache<string, ExpiringValue<V>>;
  readonly #sought = new Map<string, Promise<ExpiringValue<V>>>();

  constructor(private readonly settings: VerdictCacheSettings<V>) {
    this.#kept = new LRUCache({ max: settings.most ?? 32_768 });
  }

  /**
   * Returns the verdict on what `parts` identify together.
   * @param find obtains it if it is not known
   * @throws the error of `find`
   */
  async of(parts: readonly string[], find: () => Promise<V>): Promise<V> {
    return (await this.known(parts, find)).value;
  }

  /** Returns the verdict with its expiry; one that is not cached expires now. @throws the error of `find` */
  async known(parts: readonly string[], find: () => Promise<V>): Promise<ExpiringValue<V>> {
    const { observer, now = Date.now } = this.settings;
    const answered = observer?.asked() ?? done;
    const digest = hash('sha256', this.#key + textOf(parts), 'base64');
    const kept = this.#kept.get(digest);
    if (kept && now() < kept.until) {
      answered(true);
      return kept;
    }
    const waited = observer?.waits() ?? done;
    try {
      return await this.#once(digest, parts, find);
    } finally {
      waited();
      answered(false);
    }
  }

  /** Empties the cache. */
  clear(): void {
    this.#kept.clear();
  }

  #once(digest: string, parts: readonly string[], find: () => Promise<V>): Promise<ExpiringValue<V>> {
    const sought = this.#sought.get(digest);
    if (sought) return sought;
    const found = this.#seek(digest, parts, find).finally(() => this.#sought.delete(digest));
    this.#sought.set(digest, found);
    return found;
  }

  async #seek(digest: string, parts: readonly string[], find: () => Promise<V>): Promise<ExpiringValue<V>> {
    const known = await this.#fromOthers(parts);
    if (known) {
      this.#kept.set(digest, known);
      return known;
    }
    const value = await this.#found(find);
    const { keptFor, shared, tells = () => true, now = Date.now } = this.settings;
    const time = keptFor(value);
    const kept = { value, until: now() + time };
    if (time > 0) {
      this.#kept.set(digest, kept);
      // The result does not depend on it, so it is not awaited.
      if (tells(value)) void shared?.set(parts, kept);
    }
    return kept;
  }

  async #found(find: () => Promise<V>): Promise<V> {
    const over = this.settings.observer?.finding() ?? done;
    try {
      const value = await find();
      over(true);
      return value;
    } catch (error) {
      over(false);
      throw error;
    }
  }

  async #fromOthers(parts: readonly string[]): Promise<ExpiringValue<V> | undefined> {
    const { shared, read, keptFor, now = Date.now } = this.settings;
    const kept = await shared?.get(parts);
    const value = kept && read?.(kept.value);
    if (!kept || value === undefined) return undefined;
    // Other processes may have longer lifetimes than this one.
    const until = Math.min(kept.until, now() + keptFor(value));
    return now() < until ? { value, until } : undefined;
  }
}

/**
 * Returns a text that is unique for the parts, whatever they contain; also as UTF-8, in which unpaired surrogates would
 * become equal.
 */
export const textOf = (parts: readonly string[]): string => JSON.stringify(parts);
