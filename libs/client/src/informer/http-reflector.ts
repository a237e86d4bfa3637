import type { ApiObject } from '@orch/machinery';
import type { Reflector, ReflectorTarget } from '@orch/runtime/informers';
import type { Client, ListQuery, ListSelectors } from '../client.js';
import { ApiError, isExpired, isVersionTooLarge } from '../errors.js';
import type { ResourceRef } from '../paths.js';
import { type Sleep, timerSleep } from '../sleep.js';
import { endsInitialEvents, type WatchEvent } from '../watch/watch.js';

/** ListSelectors of the objects of an informer, and how it lists and watches them. */
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

/** Key of an object: `namespace/name`, or `name` for objects without a namespace. */
export function keyOf(object: ApiObject): string {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * Milliseconds that {@link HttpReflector.confirm} waits for events until all objects are listed again: the newest
 * version may be that of an object which is not selected, and bookmarks are rare.
 */
const CONFIRM_MS = 1_000;

/** Lists a collection of an API server, then watches its changes. */
export class HttpReflector<T extends ApiObject> implements Reflector<T> {
  /** Counters since the start. */
  readonly stats: InformerStats = { lists: 0, expired: 0, resumes: 0, events: 0 };
  #watchList: boolean;
  /** Version of the cached state; empty when it cannot be used any more, undefined when there was none yet. */
  #version: string | undefined;
  /** Called when the version has changed. */
  readonly #waiting = new Set<() => void>();
  /** Ends the watch under way; undefined while there is none. */
  #endWatch: (() => void) | undefined;
  #stopped: AbortSignal | undefined;

  constructor(
    private readonly client: Client,
    private readonly ref: ResourceRef,
    private readonly settings: InformerSettings,
  ) {
    this.#watchList = settings.watchList ?? false;
  }

  /** Version up to which changes are applied. */
  get version(): string {
    return this.#version ?? '';
  }

  async listAndWatch(target: ReflectorTarget<T>, stopped: AbortSignal): Promise<void> {
    this.#observe(stopped);
    const ended = new AbortController();
    const signal = AbortSignal.any([stopped, ended.signal]);
    try {
      if (!this.#watchList || (await this.#isRefused(() => this.#watchInitialEvents(target, signal, ended)))) {
        await this.#list(target, signal);
        this.#endWatch = () => ended.abort();
        await this.#watch(target, signal);
      }
    } catch (error) {
      // It was ended to be listed again.
      if (ended.signal.aborted && !stopped.aborted) return;
      if (isExpired(error)) this.stats.expired += 1;
      if (isExpired(error) || isVersionTooLarge(error)) this.#version = '';
      throw error;
    } finally {
      this.#endWatch = undefined;
    }
  }

  retryAfterMs(error: unknown): number {
    return error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  }

  /** @throws ApiError, TransportError; Error when the informer is stopped */
  async confirm(): Promise<void> {
    const { metadata } = await this.client.list<T>(this.ref, { ...this.#selection, limit: 1 });
    const wanted = metadata.resourceVersion ?? '';
    const { sleep = timerSleep } = this.settings;
    const waited = new AbortController();
    void sleep(CONFIRM_MS, waited.signal).then(() => {
      if (!waited.signal.aborted) this.#relist();
    });
    try {
      while (!this.#isStopped && !this.#isAt(wanted)) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    } finally {
      waited.abort();
    }
    if (this.#isStopped) throw new Error('the informer was stopped');
  }

  get #isStopped(): boolean {
    return this.#stopped?.aborted === true;
  }

  /** Wakes those that wait once the informer is stopped, even between two attempts. */
  #observe(stopped: AbortSignal): void {
    if (this.#stopped === stopped) return;
    this.#stopped = stopped;
    stopped.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** Ends a watch, so that the newest state is listed; a list under way goes on, and is followed by a watch that can be ended. */
  #relist(): void {
    this.#version = '';
    this.#endWatch?.();
  }

  get #selection(): ListSelectors {
    const { labelSelector, fieldSelector } = this.settings;
    return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
  }

  /** Versions are numbers that grow, within a resource. */
  #isAt(wanted: string): boolean {
    const known = this.#version;
    if (!known) return false;
    return known === wanted || BigInt(known) >= BigInt(wanted);
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Whether a server does not send initial events, and is not asked for them again. */
  async #isRefused(watch: () => Promise<void>): Promise<boolean> {
    try {
      await watch();
      return false;
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== 400 && error.code !== 422)) throw error;
      this.settings.onError?.(error);
      this.#watchList = false;
      return true;
    }
  }

  /** Lists the whole state: any at first, later one that is not older than the cached one, the newest after a 410. */
  async #list(target: ReflectorTarget<T>, signal: AbortSignal): Promise<void> {
    // With a version other than 0 a limit would ask for exactly that version.
    const paged = !this.#version;
    const selection = this.#selection;
    const query: ListQuery = this.#version === '' ? selection : { ...selection, resourceVersion: this.#version ?? '0' };
    this.stats.lists += 1;
    try {
      await this.#take(paged ? { ...query, limit: this.settings.pageSize ?? 500 } : query, target, signal);
    } catch (error) {
      if (!paged || !isExpired(error)) throw error;
      // A page expired during the list: a list without pages cannot.
      this.stats.expired += 1;
      await this.#take(selection, target, signal);
    }
  }

  async #take(query: ListQuery, target: ReflectorTarget<T>, signal: AbortSignal): Promise<void> {
    const found = new Map<string, T>();
    let version = '';
    for await (const page of this.client.pages<T>(this.ref, query, { signal })) {
      version = page.metadata.resourceVersion ?? '';
      for (const item of page.items) found.set(keyOf(item), item);
    }
    this.#replace(target, found, version);
  }

  async #watch(target: ReflectorTarget<T>, signal: AbortSignal): Promise<void> {
    const start = { after: this.#version ?? '' };
    for await (const event of this.client.watch<T>(this.ref, start, this.#watchOptions(signal)))
      this.#apply(target, event);
  }

  /** Collects the initial events separately, so that a cut stream never leaves half a state. */
  async #watchInitialEvents(target: ReflectorTarget<T>, signal: AbortSignal, ended: AbortController): Promise<void> {
    let initial: Map<string, T> | undefined = new Map();
    this.stats.lists += 1;
    const start = { initialEvents: true, ...(this.#version && { notOlderThan: this.#version }) } as const;
    for await (const event of this.client.watch<T>(this.ref, start, this.#watchOptions(signal))) {
      if (!initial) this.#apply(target, event);
      else if (event.type === 'ADDED' || event.type === 'MODIFIED') initial.set(keyOf(event.object), event.object);
      else if (event.type === 'DELETED') initial.delete(keyOf(event.object));
      else if (endsInitialEvents(event, this.client.names)) {
        this.#replace(target, initial, event.object.metadata?.resourceVersion ?? '');
        initial = undefined;
        this.#endWatch = () => ended.abort();
      }
    }
  }

  #watchOptions(signal: AbortSignal) {
    return {
      ...this.#selection,
      signal,
      onResume: (cause: unknown) => {
        this.stats.resumes += 1;
        if (cause !== undefined) this.settings.onError?.(cause);
      },
    };
  }

  /** Objects of the same version stay as they are, so that they do not count as changed. */
  #replace(target: ReflectorTarget<T>, listed: ReadonlyMap<string, T>, version: string): void {
    const objects = new Map<string, T>();
    for (const [key, object] of listed) {
      const before = target.get(key);
      const isSame = before?.metadata?.resourceVersion === object.metadata?.resourceVersion;
      objects.set(key, before && isSame ? before : object);
    }
    this.#version = version;
    target.replace(objects);
    this.#wake();
  }

  #apply(target: ReflectorTarget<T>, { type, object }: WatchEvent<T>): void {
    this.#version = object.metadata?.resourceVersion ?? this.#version;
    if (type === 'BOOKMARK') target.apply(new Map());
    else {
      this.stats.events += 1;
      target.apply(
        new Map([[keyOf(object), type === 'DELETED' ? { op: 'delete', last: object } : { op: 'set', object }]]),
      );
    }
    this.#wake();
  }
}
