import type { OrderedFeed } from '@orch/feed';
import { systemClock } from '@orch/runtime/clock';
import type { ChangeSource, TypeId } from '@orch/storage';
import { ConvertedFeed, type Followable } from './conversion/converted-feed.js';
import { ConvertedSource } from './conversion/converted-source.js';
import { CacheNotReadyError } from './errors.js';
import { InitialBudget, type InitialLimits } from './initial/initial-budget.js';
import { TypeCache } from './type-cache.js';
import type { TypeCacheOptions, TypeDescription } from './type-cache-options.js';

/** Source of changes, and limits; all but the source have defaults. */
export interface WatchCacheOptions extends Omit<TypeCacheOptions, 'initialBudget'> {
  /** Source from which states and history are read. Not closed by the cache. */
  readonly source: ChangeSource;
  /** Delivers every change in order. Not closed by the cache. */
  readonly feed: OrderedFeed;
  /** Bytes of all types above which those without watchers are unloaded, least recently used first. Default 1 GiB. */
  readonly maxBytes?: number;
  /** Limits of the bytes of initial states. Default: 256 MiB together, 64 MiB per owner. */
  readonly initialLimits?: InitialLimits;
  /** Milliseconds after its last request at which a type without watchers is unloaded. Default 600,000. */
  readonly idle?: number;
  /** Milliseconds between comparisons of every state with the database; 0 for none. Default 600,000. */
  readonly checkInterval?: number;
}

/** Milliseconds between looks for types to unload. */
const SWEEP = 10_000;
/**
 * Milliseconds for which streams of an unloaded type continue, for the last changes; without a database there are none.
 */
const LAST_CHANGES = 3_000;
const INITIAL_LIMITS: InitialLimits = { together: 256 << 20, perOwner: 64 << 20 };

/** The types held in memory: each is loaded on first use and unloaded when unused. */
export class WatchCache {
  readonly #types = new Map<string, TypeCache>();
  /** Keys of caches to unload as soon as they have no watchers. */
  readonly #retired = new Set<string>();
  /** Unloaded caches, with streams that are ending. */
  readonly #leaving = new Set<TypeCache>();
  readonly #options: WatchCacheOptions;
  readonly #initialBudget: InitialBudget;
  #cancelSweep: (() => void) | undefined;
  #cancelCheck: (() => void) | undefined;
  #closed = false;

  constructor(options: WatchCacheOptions) {
    this.#options = options;
    const { checkInterval = 600_000, random = Math.random } = options;
    const { clock = systemClock, initialLimits: limits = INITIAL_LIMITS, shareInitial: keepFor = 2_000 } = options;
    this.#initialBudget = new InitialBudget({ clock, limits, keepFor });
    // Spread, so that processes that were started together check at different times.
    if (checkInterval > 0) this.#scheduleCheck(checkInterval, checkInterval * (0.5 + random() / 2));
  }

  /**
   * Returns the cache of a type, loading it if need be. Call it each time rather than keep the result: an idle cache is
   * unloaded and closed.
   */
  type(type: TypeId, description: TypeDescription): TypeCache {
    if (this.#closed) throw new CacheNotReadyError('the cache is closed');
    const key = keyOf(type, description);
    let cache = this.#types.get(key);
    if (cache === undefined) {
      const { source, feed } = this.#servedBy(description);
      const options = { ...this.#options, initialBudget: this.#initialBudget };
      cache = new TypeCache(type, source, feed, description, options);
      this.#types.set(key, cache);
      this.#cancelSweep ??= this.#scheduleSweep();
    }
    return cache;
  }

  /** A served version with a slow conversion has state and ring of its own, behind a stage that keeps the order. */
  #servedBy({ conversion }: TypeDescription): { source: ChangeSource; feed: Followable } {
    const { source, feed, clock = systemClock, onError } = this.#options;
    if (conversion === undefined) return { source, feed };
    return {
      source: new ConvertedSource(source, conversion),
      feed: new ConvertedFeed({ feed, conversion, clock, onError }),
    };
  }

  /** Returns the existing cache of a type, loaded or loading; that of stored bodies unless a conversion is named. */
  peek(type: TypeId, description: Pick<TypeDescription, 'conversion'> = {}): TypeCache | undefined {
    return this.#types.get(keyOf(type, description));
  }

  /** All caches, loaded or loading. */
  types(): IterableIterator<TypeCache> {
    return this.#types.values();
  }

  /** Number of open watches. */
  get watchers(): number {
    return [...this.#types.values(), ...this.#leaving].reduce((sum, { watchers }) => sum + watchers, 0);
  }

  /**
   * Unloads a type: its definition is gone, or is another. Later calls load the state again; streams of the previous
   * one end cleanly when they have had everything committed before the call.
   */
  unload(type: TypeId): void {
    for (const [key, cache] of this.#types) {
      if (cache.type !== type) continue;
      this.#forget(key);
      this.#leaving.add(cache);
      void this.#leave(cache);
    }
  }

  /** Never rejects. */
  async #leave(cache: TypeCache): Promise<void> {
    await cache.settle(LAST_CHANGES);
    await cache.drain(0);
    cache.close();
    this.#leaving.delete(cache);
  }

  /** Unloads the cache of a conversion as soon as its streams have ended: new requests must not use it. */
  retire(type: TypeId, description: Required<Pick<TypeDescription, 'conversion'>>): void {
    const key = keyOf(type, description);
    if (this.#types.has(key)) this.#retired.add(key);
  }

  #close(key: string, cache: TypeCache): void {
    cache.close();
    this.#forget(key);
  }

  #forget(key: string): void {
    this.#types.delete(key);
    this.#retired.delete(key);
  }

  /** Ends all streams, spread over `spread` ms, and accepts no more. */
  async drain(spread: number): Promise<void> {
    await Promise.all([...this.#types.values()].map((cache) => cache.drain(spread)));
  }

  /** Ends everything at once; later calls get an Error. */
  close(): void {
    this.#closed = true;
    this.#cancelSweep?.();
    this.#cancelCheck?.();
    for (const [key, cache] of this.#types) this.#close(key, cache);
    for (const cache of this.#leaving) cache.close();
  }

  #scheduleCheck(interval: number, wait: number): void {
    this.#cancelCheck = (this.#options.clock ?? systemClock).after(wait, () => void this.#check(interval));
  }

  /** Checks one type after another, so that there is never more than one query. */
  async #check(interval: number): Promise<void> {
    for (const cache of [...this.#types.values()]) if (!this.#closed) await cache.check();
    if (!this.#closed) this.#scheduleCheck(interval, interval);
  }

  #scheduleSweep(): () => void {
    return (this.#options.clock ?? systemClock).after(SWEEP, () => {
      this.#sweep();
      this.#cancelSweep = this.#types.size === 0 ? undefined : this.#scheduleSweep();
    });
  }

  #sweep(): void {
    const { clock = systemClock, idle = 600_000, maxBytes = 1 << 30 } = this.#options;
    const unused = [...this.#types].filter(([, { watchers }]) => watchers === 0);
    unused.sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    let bytes = 0;
    for (const cache of this.#types.values()) bytes += cache.bytes;
    for (const [key, cache] of unused) {
      if (!this.#retired.has(key) && bytes <= maxBytes && clock.now() - cache.lastUsed < idle) continue;
      bytes -= cache.bytes;
      this.#close(key, cache);
    }
  }
}

const keyOf = (type: TypeId, { conversion }: Pick<TypeDescription, 'conversion'>): string =>
  conversion === undefined ? String(type) : `${type} ${conversion.key}`;
