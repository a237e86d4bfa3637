import { type BoundObjectGetter, type KnownObject, keyOfObject, type ObjectName } from '@orch/authentication';
import type { OrderedFeed } from '@orch/feed';
import { ChangeFollower } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import type { ObjectReader } from '@orch/reading';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Clock } from '@orch/runtime';
import type { Secret } from '@orch/schema/types/core/v1';
import type { Change, Key, ReadingStore, TypeId, Version } from '@orch/storage';
import { LRUCache } from 'lru-cache';

/** Objects of a kind that are remembered, and names of that kind that nothing has. */
const REMEMBERED = 32_768;
const REMEMBERED_MISSING = 1_024;

/** Objects of one namespace whose names share a prefix. */
interface NameRange {
  readonly namespace: string;
  readonly prefix: string;
}

/** Options of {@link BoundObjectCache}. */
export interface BoundObjectCacheOptions {
  /** Endpoint of each kind; bound objects of a kind without one count as not found. */
  readonly endpoints: Readonly<Partial<Record<ObjectName['kind'], Endpoint>>>;
  /** Types of Secrets whose data is used; the data of others is not kept. */
  readonly tokenTypes: ReadonlySet<string>;
  /**
   * Secrets all of whose names are cached, so that requests for names that do not exist cost no read, however many
   * there are. Default: none.
   */
  readonly listedSecrets?: NameRange;
  readonly store: Pick<ReadingStore, 'heads' | 'snapshot' | 'onStalledHistory'>;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly reader: Pick<ObjectReader, 'current'>;
  /** Called when objects may have changed, by {@link keyOfObject}: `all` where it is not known which of a kind. */
  readonly onChange: (keys: ReadonlySet<string> | 'all') => void;
  readonly clock?: Clock;
}

/**
 * Caches the objects to which tokens in use are bound, reduced to the fields that tokens depend on. An object is read
 * once, and dropped when the feed delivers a change of it, which it does within a second even where announcements are
 * lost. A kind is followed from its first use on.
 */
export class BoundObjectCache implements BoundObjectGetter {
  readonly #kinds = new Map<ObjectName['kind'], FollowedKind>();

  constructor(options: BoundObjectCacheOptions) {
    for (const kind of ['ServiceAccount', 'Pod', 'Secret'] as const) {
      const endpoint = options.endpoints[kind];
      if (endpoint) this.#kinds.set(kind, new FollowedKind(kind, endpoint, options));
    }
  }

  /** Returns a cached object at once, others once they are read. @throws StoreUnavailableError */
  find(object: ObjectName): KnownObject | undefined | Promise<KnownObject | undefined> {
    return this.#kinds.get(object.kind)?.find(object);
  }

  /** Stops following. */
  stop(): void {
    for (const kind of this.#kinds.values()) kind.stop();
  }
}

/** A read in progress; its result is not cached if a change is delivered meanwhile. */
interface Reading {
  readonly found: Promise<KnownObject | undefined>;
  readonly mark: { stale: boolean };
}

class FollowedKind {
  readonly #known = new LRUCache<string, KnownObject>({ max: REMEMBERED });
  /** Kept apart, as any caller can send names that do not exist. */
  readonly #missing = new LRUCache<string, true>({ max: REMEMBERED_MISSING });
  readonly #readings = new Map<string, Reading>();
  readonly #range: NameRange | undefined;
  /** The names that there are in the range; undefined while they are not known. */
  #listed: Set<string> | undefined;
  readonly #follower: ChangeFollower;

  constructor(
    private readonly kind: ObjectName['kind'],
    private readonly endpoint: Endpoint,
    private readonly options: BoundObjectCacheOptions,
  ) {
    const { store, feed, clock, listedSecrets } = options;
    this.#range = kind === 'Secret' ? listedSecrets : undefined;
    this.#follower = new ChangeFollower({
      ...{ type: endpoint.type, store, feed, ...(clock && { clock }) },
      ...(this.#range && { from: () => this.#listRange(endpoint.type, this.#range as NameRange) }),
      changed: (changes) => this.#changed(changes),
      reset: () => this.#reset(),
    });
  }

  find(object: ObjectName): KnownObject | undefined | Promise<KnownObject | undefined> {
    const key = keyOfObject(object);
    const known = this.#known.get(key);
    if (known || this.#missing.has(key) || this.#isUnlisted(object)) return known;
    const reading = this.#readings.get(key);
    if (reading) return reading.found;
    const mark = { stale: false };
    const found = this.#read(object, key, mark);
    this.#readings.set(key, { found, mark });
    return found;
  }

  stop(): void {
    this.#follower.stop();
  }

  async #read(object: ObjectName, key: string, mark: Reading['mark']): Promise<KnownObject | undefined> {
    try {
      // Followed before the read, so that no change is missed.
      await this.#follower.follow();
      if (this.#isUnlisted(object)) return undefined;
      const stored = await this.#stored(object);
      const found = stored && this.#knownOf(stored);
      if (!mark.stale && this.#follower.isFollowing) {
        if (found) this.#known.set(key, found);
        else this.#missing.set(key, true);
      }
      return found;
    } finally {
      if (this.#readings.get(key)?.mark === mark) this.#readings.delete(key);
    }
  }

  /** Whether it is known without a look that there is none. */
  #isUnlisted(object: Key): boolean {
    return this.#listed !== undefined && isIn(this.#range, object) && !this.#listed.has(object.name);
  }

  async #stored({ namespace, name }: ObjectName): Promise<ApiObject | undefined> {
    // The database cannot hold names with NUL characters.
    if (`${namespace}${name}`.includes('\0')) return undefined;
    const stored = await this.options.reader.current(this.endpoint.type, { namespace, name });
    return stored && fromStored(stored, this.endpoint);
  }

  #knownOf(object: ApiObject): KnownObject {
    const { uid = '', deletionTimestamp } = object.metadata ?? {};
    const { type, data } = object as Secret;
    const isToken = this.kind === 'Secret' && type !== undefined && this.options.tokenTypes.has(type);
    return {
      uid,
      ...(deletionTimestamp && { deletedAt: Date.parse(deletionTimestamp) }),
      ...(isToken && { type, data: textsOf(data ?? {}) }),
    };
  }

  /** Learns the names of the range. @returns as of when they are */
  async #listRange(type: TypeId, range: NameRange): Promise<Version> {
    const { namespace, prefix } = range;
    const listed = new Set<string>();
    const { version, pages } = await this.options.store.snapshot({
      ...{ type, namespace, after: { namespace, name: prefix } },
      // Only the name matters here; a request for the Secret itself reports that it cannot be read.
      onUnreadable: ({ what: { key } }) => void (isIn(range, key) && listed.add(key.name)),
    });
    // Pages are in the order of names, so that those of the range come first.
    for await (const page of pages) {
      for (const row of page) if (isIn(range, row)) listed.add(row.name);
      const last = page.at(-1);
      if (last && !isIn(range, last)) break;
    }
    this.#listed = listed;
    return version;
  }

  #changed(changes: readonly Change[]): void {
    for (const change of changes) this.#list(change);
    const keys = new Set(changes.map(({ namespace, name }) => keyOfObject({ kind: this.kind, namespace, name })));
    for (const key of keys) {
      this.#known.delete(key);
      this.#missing.delete(key);
      this.#spoil(key);
    }
    this.options.onChange(keys);
  }

  #list(change: Change): void {
    if (!this.#listed || !isIn(this.#range, change)) return;
    if (change.op === 'delete') this.#listed.delete(change.name);
    else this.#listed.add(change.name);
  }

  /** Drops the whole cache after a gap in the feed: any object may have changed. */
  #reset(): void {
    this.#listed = undefined;
    this.#known.clear();
    this.#missing.clear();
    for (const key of this.#readings.keys()) this.#spoil(key);
    this.options.onChange('all');
  }

  #spoil(key: string): void {
    const reading = this.#readings.get(key);
    if (reading) reading.mark.stale = true;
    this.#readings.delete(key);
  }
}

const isIn = (range: NameRange | undefined, key: Key | undefined): boolean =>
  range !== undefined && key?.namespace === range.namespace && key.name.startsWith(range.prefix);

/** Decodes data, which is stored as base64. */
const textsOf = (data: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '',
    ]),
  );
