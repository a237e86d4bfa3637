import { type Stored, tooLargeVersion } from '@orch/resources';
import { HistoryExpiredError, type Key, type ObjectStore, type TypeId, type Version } from '@orch/storage';
import type { TypeCache, WatchCache } from '@orch/watchcache';
import { isConfirmed } from './confirmed.js';
import type { Freshness } from './read-options.js';
import { retryUnloaded } from './retry-unloaded.js';

/** Milliseconds that a read waits for a version that has not been reached (spec: "Unrecognized versions"). */
const FUTURE_WAIT_MS = 3_000;
/** Milliseconds between two checks whether the version has been reached. */
const FUTURE_POLL_MS = 100;

/** Reads single objects: from memory if that is as fresh as requested, else from the database. */
export class ObjectReader {
  constructor(
    private readonly store: ObjectStore,
    private readonly cache: Pick<WatchCache, 'peek'>,
  ) {}

  /** Returns the object at the requested freshness; undefined if there is none. @throws StatusError 504 */
  async get(type: TypeId, key: Key, freshness: Freshness): Promise<Stored | undefined> {
    const cached = this.#cached(type);
    if (cached && (freshness.want === 'any' || this.isAtLeast(type, cached, freshness))) return cached.get(key);
    if (!cached && freshness.want === 'any') return this.store.getStale(type, key);
    if (freshness.want === 'not-older') await this.reach(type, freshness.than);
    return this.current(type, key);
  }

  /** Whether the cache is as new as a request requires. */
  isAtLeast(type: TypeId, cache: TypeCache, freshness: Freshness): boolean {
    if (freshness.want !== 'not-older' || this.store.isLost(type, freshness.than)) return false;
    return cache.ready() && cache.version >= freshness.than;
  }

  /** Returns the object as of a time after the call. */
  current(type: TypeId, key: Key): Promise<Stored | undefined> {
    return retryUnloaded(async () => {
      const cached = this.#cached(type);
      if (!cached) return this.store.get(type, key);
      return (await isConfirmed(cached)) ? cached.get(key) : this.store.get(type, key);
    });
  }

  /** Returns the object from memory, which may be stale; undefined when the type is not in memory. */
  hint(type: TypeId, key: Key): Stored | undefined {
    return this.#cached(type)?.get(key);
  }

  #cached(type: TypeId): TypeCache | undefined {
    const cache = this.cache.peek(type);
    return cache?.ready() ? cache : undefined;
  }

  /**
   * Resolves once everything up to a version is known, with the version that the type's state then has there: the same,
   * or the type's head when the version was given to a change of another type.
   * @throws StatusError 504 when the version does not come in time; HistoryExpiredError for one that a failover or a
   *   restoration has lost
   */
  async reach(type: TypeId, version: Version): Promise<Version> {
    const cached = this.#cached(type);
    if (cached && cached.version >= version && !this.store.isLost(type, version)) return version;
    const deadline = performance.now() + FUTURE_WAIT_MS;
    for (;;) {
      const last = await this.store.lastVersion(type);
      if (last >= version) {
        // Once the writes in flight have ended, no change at or below the version can arrive any more.
        const { head, floor } = await this.store.settledHead(type, version);
        if (this.store.isLost(type, version)) throw new HistoryExpiredError(version, floor, head);
        return head < version ? head : version;
      }
      if (performance.now() >= deadline) throw tooLargeVersion(version, last);
      await new Promise((resolve) => setTimeout(resolve, FUTURE_POLL_MS));
    }
  }
}
