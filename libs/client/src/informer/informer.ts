import type { ApiObject } from '@orch/machinery';
import { Backoff } from '@orch/runtime/work';
import type { Client, ListQuery, ListSelectors } from '../client.js';
import { ApiError, isExpired, isVersionTooLarge } from '../errors.js';
import type { ResourceRef } from '../paths.js';
import { type Sleep, timerSleep } from '../sleep.js';
import { endsInitialEvents, type WatchEvent } from '../watch/watch.js';
import { type InformerHandlers, keyOf, ObjectStore } from './store.js';

/** Source and options of an informer. */
export interface InformerSettings extends ListSelectors {
  /** Objects per page of a list. Default 500. */
  readonly pageSize?: number;
  /**
   * Takes the initial state from the watch (gate `WatchList`); if the server refuses, it is listed instead. Default
   * false.
   */
  readonly watchList?: boolean;
  /** Called with every failure that the informer handles itself. */
  readonly onError?: (error: unknown) => void;
  /** Implementation of waits. Default: timers. */
  readonly sleep?: Sleep;
  /** 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: () => number;
}

/** Counters since the start. */
export interface InformerStats {
  /** Number of times that the whole state was listed, the first included. */
  lists: number;
  /** 410 answers, each of which causes a list of the whole state. */
  expired: number;
  /** Watch requests resumed from the last version. */
  resumes: number;
  /** Changes applied, bookmarks not counted. */
  events: number;
}

/** Keeps a cached copy of a collection: lists it, then watches its changes, for ever. */
export class Informer<T extends ApiObject> {
  /** A single object, updated as long as the informer runs. */
  readonly stats: InformerStats = { lists: 0, expired: 0, resumes: 0, events: 0 };
  /** Resolves when the whole state is cached for the first time; rejects when the informer is stopped before. */
  readonly synced: Promise<void>;
  readonly #client: Client;
  readonly #ref: ResourceRef;
  readonly #settings: InformerSettings;
  readonly #store: ObjectStore<T>;
  readonly #abort = new AbortController();
  readonly #backoff: Backoff;
  readonly #sleep: Sleep;
  #settle: { resolve(): void; reject(error: Error): void } = { resolve() {}, reject() {} };
  #running: Promise<void> | undefined;
  #watchList: boolean;
  /** Version of the cached state; empty when it cannot be used any more, undefined when there was none yet. */
  #version: string | undefined;

  constructor(client: Client, ref: ResourceRef, settings: InformerSettings = {}) {
    this.#client = client;
    this.#ref = ref;
    this.#settings = settings;
    this.#store = new ObjectStore((error) => settings.onError?.(error));
    this.#watchList = settings.watchList ?? false;
    this.#sleep = settings.sleep ?? timerSleep;
    this.#backoff = new Backoff({ firstMs: 500, longestMs: 30_000, random: settings.random ?? Math.random });
    this.synced = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Avoids an unhandled rejection when the caller does not wait for it.
    this.synced.catch(() => {});
  }

  /**
   * The cache. Objects are shared: they must not be changed. Subscribers get all cached objects and then every change.
   */
  get objects(): Pick<ObjectStore<T>, 'get' | 'values' | 'size'> {
    return this.#store;
  }

  /** Adds handlers; `added` is called for all cached objects before this returns. Their errors go to `onError`. */
  subscribe(handlers: InformerHandlers<T>): void {
    this.#store.subscribe(handlers);
  }

  /** Version up to which changes are applied. */
  get version(): string {
    return this.#version ?? '';
  }

  /** Starts to list and to watch; further calls do nothing. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops, and resolves when nothing is in flight any more. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    this.#settle.reject(new Error('the informer was stopped'));
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        if (this.#watchList) await this.#followFromInitialEvents();
        else {
          await this.#list();
          await this.#follow();
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#settings.onError?.(error);
        await this.#recover(error);
      }
    }
  }

  /** Decides how the next round starts, and waits to spare the server. */
  async #recover(error: unknown): Promise<void> {
    if (isExpired(error)) this.stats.expired += 1;
    if (isExpired(error) || isVersionTooLarge(error)) this.#version = '';
    else if (this.#watchList && error instanceof ApiError && (error.code === 400 || error.code === 422)) {
      this.#watchList = false;
      return;
    }
    const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    await this.#sleep(Math.max(asked, this.#backoff.next()), this.#abort.signal);
  }

  /** Lists the whole state: any at first, later one that is not older than the cached one, the newest after a 410. */
  async #list(): Promise<void> {
    const { labelSelector, fieldSelector, pageSize = 500 } = this.#settings;
    const selection = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
    // With a version other than 0 a limit would ask for exactly that version.
    const paged = !this.#version;
    const query: ListQuery = this.#version === '' ? selection : { ...selection, resourceVersion: this.#version ?? '0' };
    this.stats.lists += 1;
    try {
      await this.#take(paged ? { ...query, limit: pageSize } : query);
    } catch (error) {
      if (!paged || !isExpired(error)) throw error;
      // A page expired during the list: a list without pages cannot.
      this.stats.expired += 1;
      await this.#take(selection);
    }
  }

  async #take(query: ListQuery): Promise<void> {
    const { signal } = this.#abort;
    const found = new Map<string, T>();
    let version = '';
    for await (const page of this.#client.pages<T>(this.#ref, query, { signal })) {
      version = page.metadata.resourceVersion ?? '';
      for (const item of page.items) found.set(keyOf(item), item);
    }
    this.#replace(found, version);
  }

  async #follow(): Promise<void> {
    const start = { after: this.#version ?? '' };
    for await (const event of this.#client.watch<T>(this.#ref, start, this.#watchOptions())) this.#apply(event);
  }

  /** Collects the initial events separately, so that a cut stream never leaves half a state. */
  async #followFromInitialEvents(): Promise<void> {
    let initial: Map<string, T> | undefined = new Map();
    this.stats.lists += 1;
    const start = { initialEvents: true, ...(this.#version && { notOlderThan: this.#version }) } as const;
    for await (const event of this.#client.watch<T>(this.#ref, start, this.#watchOptions())) {
      if (!initial) this.#apply(event);
      else if (event.type === 'ADDED' || event.type === 'MODIFIED') initial.set(keyOf(event.object), event.object);
      else if (event.type === 'DELETED') initial.delete(keyOf(event.object));
      else if (endsInitialEvents(event, this.#client.names)) {
        this.#replace(initial, event.object.metadata?.resourceVersion ?? '');
        initial = undefined;
      }
    }
  }

  #watchOptions() {
    const { labelSelector, fieldSelector } = this.#settings;
    return {
      ...(labelSelector && { labelSelector }),
      ...(fieldSelector && { fieldSelector }),
      signal: this.#abort.signal,
      onResume: (cause: unknown) => {
        this.stats.resumes += 1;
        if (cause !== undefined) this.#settings.onError?.(cause);
      },
    };
  }

  #replace(objects: ReadonlyMap<string, T>, version: string): void {
    this.#store.replace(objects);
    this.#version = version;
    this.#settle.resolve();
  }

  #apply(event: WatchEvent<T>): void {
    if (event.type === 'DELETED') this.#store.delete(event.object);
    else if (event.type !== 'BOOKMARK') this.#store.set(event.object);
    if (event.type !== 'BOOKMARK') this.stats.events += 1;
    this.#version = event.object.metadata?.resourceVersion ?? this.#version;
    this.#backoff.reset();
  }
}
