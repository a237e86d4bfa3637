import { FollowingEndedError } from '@orch/feed';
import { type Clock, systemClock } from '@orch/runtime/clock';
import { HistoryExpiredError, type Key, type TypeId, UnreadableBodyError, type Version } from '@orch/storage';
import type { Followable } from './conversion/converted-feed.js';
import type { ServedSource } from './conversion/converted-source.js';
import { Retries } from './conversion/retries.js';
import {
  CacheDrainingError,
  CacheNotReadyError,
  CacheUnloadedError,
  StateMismatchError,
  VersionNotReachedError,
} from './errors.js';
import { FanOut } from './fan-out/fan-out.js';
import type { Joining, WatchedState } from './fan-out/fan-out-model.js';
import type { Interest } from './fan-out/interest.js';
import { WatchStartDecider } from './fan-out/watch-start.js';
import type { Watcher } from './fan-out/watcher.js';
import { HistoryReader } from './history/history-reader.js';
import { type CacheEntry, entryOf } from './state/cache-entry.js';
import { FollowedState } from './state/followed-state.js';
import type { CacheListRequest, ListResult } from './state/state.js';
import { firstDifference } from './state/state-check.js';
import { type LoadedState, StateLoader } from './state/state-loader.js';
import { VersionWaiters } from './state/version-waiters.js';
import type { TypeCacheOptions, TypeCacheStats, TypeDescription, WatchRequest } from './type-cache-options.js';

/** The objects of one type in memory, loaded from a snapshot and updated by the feed, for lists and watches. */
export class TypeCache {
  readonly #options: TypeCacheOptions;
  readonly #clock: Clock;
  readonly #fanOut: FanOut;
  readonly #waiters: VersionWaiters;
  readonly #history: HistoryReader;
  readonly #starts: WatchStartDecider;
  readonly #loader: StateLoader;
  /** Undefined while the state is not reliable. */
  #loaded: FollowedState | undefined;
  /** Retries of the state that is loaded. */
  #retries: Retries | undefined;
  /** The last loaded state, for streams that survive a reset because they have no position yet. */
  #latest: FollowedState | undefined;
  #resets = 0;
  #checks = 0;
  #mismatches = 0;
  #loading = false;
  #closed = false;
  #draining = false;
  /** Monotonic ms of the last request; for unloading. */
  lastUsed: number;

  constructor(
    /** The type of the objects. */
    readonly type: TypeId,
    private readonly source: ServedSource,
    private readonly feed: Followable,
    private readonly description: TypeDescription,
    options: TypeCacheOptions = {},
  ) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.lastUsed = this.#clock.now();
    this.#waiters = new VersionWaiters(this.#clock);
    const { describe } = description;
    const maxBytes = options.historyBytes ?? 16 << 20;
    this.#loader = new StateLoader({ source, type, describe, clock: this.#clock, onError: options.onError });
    this.#history = new HistoryReader({ source, type, describe, clock: this.#clock, maxBytes });
    this.#starts = new WatchStartDecider({
      clock: this.#clock,
      history: this.#history,
      versionWait: options.versionWait ?? 3_000,
      isLost: (version) => source.isLost(type, version),
      lastVersion: () => source.lastVersion(type),
      current: () => this.#now().state.version,
      ring: () => this.#now().ring,
      confirm: () => this.confirm(),
      waitUntil: (version, deadline) => this.waitUntil(version, deadline),
    });
    this.#fanOut = new FanOut(this.#served(), options);
    void this.#load();
  }

  /** Whether the state is loaded and followed. */
  ready(): boolean {
    return this.#loaded !== undefined;
  }

  /**
   * Resolves when the state is loaded; immediately if it is.
   * @throws CacheNotReadyError when it is not by the deadline (monotonic ms; default: `loadWait` from now).
   */
  async waitReady(deadline?: number): Promise<void> {
    await this.#whenLoaded(deadline);
  }

  /** The version of the state. @throws CacheNotReadyError */
  get version(): Version {
    return this.#now().state.version;
  }

  /** Returns the cached object. @throws CacheNotReadyError */
  get(key: Key): CacheEntry | undefined {
    return this.#now().state.get(key);
  }

  /**
   * Prepares the indexes that a list's selection needs, a few milliseconds at a time, so that the list itself does not
   * block. A list without it is correct too, though it may take long.
   * @throws CacheNotReadyError
   */
  async prepare(interest: Interest): Promise<void> {
    await this.#now().state.prepare(interest, this.#clock);
  }

  /** Lists cached objects. @throws CacheNotReadyError */
  list(request: CacheListRequest): ListResult {
    return this.#now().state.list(request);
  }

  /**
   * Resolves once the state has reached a version.
   * @throws VersionNotReachedError when it has not by the deadline (monotonic ms).
   */
  async waitUntil(version: Version, deadline: number): Promise<void> {
    const { state } = await this.#whenLoaded(deadline);
    if (state.version >= version) return;
    if (await this.#waiters.wait(version, deadline)) return;
    throw new VersionNotReachedError(version, this.#loaded?.state.version ?? state.version);
  }

  /**
   * Reads the type's head from the database and resolves with it once the state has reached it: a list made right
   * after is linearizable. Concurrent callers share the query.
   * @throws CacheNotReadyError
   * @throws StoreUnavailableError when the database does not answer.
   */
  async confirm(): Promise<Version> {
    for (;;) {
      const { following } = await this.#whenLoaded();
      try {
        return await following.confirm();
      } catch (error) {
        if (!(error instanceof FollowingEndedError)) throw error;
      }
    }
  }

  /**
   * Starts a watch. Nothing is written to the sink before the promise has resolved and the turn of the event loop in
   * which it did is over, so that the caller can write its response's head first.
   * @throws ExpiredError when history does not reach back to the version.
   * @throws VersionNotReachedError when the initial state must not be older than a version that is not reached.
   * @throws CacheNotReadyError
   * @throws SelectorBudgetError when the selectors of its owner, or of all, have too many terms already
   * @throws InitialBudgetError when the watches of its owner, or all, read as much of their initial state as they may
   * @throws CacheDrainingError after {@link drain}
   * @throws StoreUnavailableError
   */
  async watch(request: WatchRequest): Promise<Watcher> {
    for (;;) {
      await this.#whenLoaded();
      const resets = this.#resets;
      const from = await this.#starts.decide(request);
      if (from.at === 'initial' && resets === this.#resets) await this.prepare(request);
      this.#checkOpen();
      if (this.#draining) throw new CacheDrainingError('the cache takes no more watches');
      // A reset during the preparation has made the start void: it is decided again.
      if (resets === this.#resets) return this.#join(request, from);
    }
  }

  /**
   * Compares the state with the database at the same version. If they differ, all streams end with an error and the
   * state is read again: correct results since the corruption cannot be told from wrong ones. Never rejects.
   */
  async check(): Promise<void> {
    const loaded = this.#loaded;
    // The conversion would be called for every object again, and need not return the same.
    if (loaded === undefined || this.description.conversion !== undefined) return;
    try {
      const { version, pages } = loaded.state.list({});
      const key = await firstDifference(this.source, this.type, version, pages);
      // A reset meanwhile has started over already.
      if (this.#loaded !== loaded) return;
      this.#checks++;
      if (key === undefined) return;
      this.#mismatches++;
      this.#options.onError?.(new StateMismatchError(this.type, version, key));
      loaded.following.close();
      this.#reset('rewound');
    } catch (error) {
      // A forgotten version, or an unavailable database, shows nothing about the state.
      if (!(error instanceof HistoryExpiredError)) this.#options.onError?.(error);
    }
  }

  /**
   * Resolves when watchers have been given everything committed before the call, or when that cannot be known: the
   * state is not loaded, or the database does not answer within `within` ms. Never rejects.
   */
  async settle(within: number): Promise<void> {
    if (!this.ready()) return;
    const confirmed = this.confirm().then(
      () => undefined,
      () => undefined,
    );
    let cancel: (() => void) | undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#clock.after(within, resolve);
    });
    await Promise.race([confirmed, late]);
    cancel?.();
  }

  /** Accepts no more watches, and ends the open ones, spread over `spread` ms, each after a bookmark. */
  async drain(spread: number): Promise<void> {
    this.#draining = true;
    await this.#fanOut.drain(spread);
  }

  /** Ends everything at once. */
  close(): void {
    this.#closed = true;
    this.#loader.close();
    this.#loaded?.following.close();
    this.#loaded = undefined;
    this.#retries?.close();
    this.#history.clear();
    this.#fanOut.close();
    this.#waiters.close();
  }

  /** Number of open watches, including ones that wait or catch up. */
  get watchers(): number {
    return this.#fanOut.size;
  }

  /** Number of cached objects. */
  get objects(): number {
    return this.#loaded?.state.size ?? 0;
  }

  /** Estimated bytes: state and indexes, ring, frames, initial states and history. */
  get bytes(): number {
    const { ringBytes, stateBytes, indexBytes, frameBytes, initialBytes, historyBytes } = this.stats();
    return ringBytes + stateBytes + indexBytes + frameBytes + initialBytes + historyBytes;
  }

  /** Current figures, for metrics. */
  stats(): TypeCacheStats {
    const { state, ring, following } = this.#loaded ?? {};
    const confirmedAt = following?.confirmedAt;
    return {
      ready: this.ready(),
      version: state?.version,
      objects: state?.size ?? 0,
      indexes: state?.indexes ?? 0,
      stateBytes: state?.bytes ?? 0,
      indexBytes: state?.indexBytes ?? 0,
      ringEvents: ring?.length ?? 0,
      ringBytes: ring?.bytes ?? 0,
      ringFloor: ring?.floor,
      snapshots: this.#loader.snapshots,
      checks: this.#checks,
      mismatches: this.#mismatches,
      historyReads: this.#history.counts.reads,
      historyAsked: this.#history.counts.asked,
      historyBytes: this.#history.bytes,
      ringSpan: ring?.span ?? 0,
      confirmedAgo: confirmedAt === undefined ? undefined : this.#clock.now() - confirmedAt,
      ...this.#fanOut.stats(),
    };
  }

  #join(request: WatchRequest, from: Joining['from']): Watcher {
    const { encoder, sink, bookmarks, initialEvents, deadline, namespace, selection, owner } = request;
    return this.#fanOut.join({
      interest: {
        ...(namespace === undefined ? {} : { namespace }),
        ...(selection === undefined ? {} : { selection }),
      },
      owner,
      encoder,
      sink,
      bookmarks,
      marksInitialEnd: bookmarks && initialEvents === 'stream',
      endsAt: deadline ?? Number.POSITIVE_INFINITY,
      from,
    });
  }

  #now(): FollowedState {
    this.lastUsed = this.#clock.now();
    this.#checkOpen();
    const { failure } = this.#loader;
    if (this.#loaded === undefined)
      throw new CacheNotReadyError('the state of the type is not loaded', { cause: failure });
    return this.#loaded;
  }

  async #whenLoaded(deadline?: number): Promise<FollowedState> {
    this.lastUsed = this.#clock.now();
    this.#checkOpen();
    const { failure } = this.#loader;
    // A missing key will not appear with time; a decryption service may be back in a moment.
    const inVain = failure instanceof UnreadableBodyError && !failure.passing;
    if (this.#loaded === undefined && !inVain) {
      await this.#waiters.wait(0n, deadline ?? this.#clock.now() + (this.#options.loadWait ?? 5_000));
    }
    return this.#now();
  }

  #checkOpen(): void {
    if (this.#closed) throw new CacheUnloadedError('the state of the type is not held any more');
  }

  /** Never rejects. */
  async #load(): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    await this.#loader.load((loaded) => this.#begin(loaded));
    this.#loading = false;
  }

  #begin(loaded: LoadedState): void {
    const { ringMaxAge = 300_000, ringMaxBytes = 32 << 20, maxIndexes = 16, observer } = this.#options;
    const followed = new FollowedState(loaded, {
      type: this.type,
      feed: this.feed,
      describe: this.description.describe,
      clock: this.#clock,
      observer,
      ringMaxAge,
      ringMaxBytes,
      maxIndexes,
      onEvent: (event) => {
        if (event.entry.failure && event.op !== 'delete') this.#retries?.add(event.entry);
        this.#fanOut.event(event);
        this.#waiters.reached(event.version);
      },
      onReset: (reason) => this.#reset(reason),
    });
    this.#loaded = followed;
    this.#latest = followed;
    this.#retries = this.#retriesOf(followed);
    this.#waiters.reached(loaded.version);
    this.#fanOut.wake();
  }

  /** Retries failed conversions for as long as the state is followed. */
  #retriesOf(followed: FollowedState): Retries | undefined {
    const { conversion, describe } = this.description;
    if (conversion === undefined) return undefined;
    const { version: storedVersion, defaults } = conversion;
    const retries = new Retries({
      type: this.type,
      conversion,
      clock: this.#clock,
      isCurrent: (entry) => followed.state.get(entry) === entry,
      onMade: (failed, body) => {
        const { namespace, name, uid, version } = failed;
        followed.heal(failed, entryOf({ namespace, name, uid, version, storedVersion, defaults, body }, describe));
        this.#history.clear();
      },
      onError: this.#options.onError,
    });
    for (const entry of followed.state.failed) retries.add(entry);
    return retries;
  }

  /** Starts over: ends the streams that the reason affects. */
  #reset(reason: 'expired' | 'rewound'): void {
    this.#loaded = undefined;
    this.#retries?.close();
    this.#resets++;
    this.#history.clear();
    this.#fanOut.reset(reason);
    void this.#load();
  }

  /** The state for the fan-out; there are watchers only once it has been loaded. */
  #served(): WatchedState {
    const latest = (): FollowedState => {
      if (this.#latest === undefined) throw new CacheNotReadyError('the state of the type is not loaded');
      return this.#latest;
    };
    const history = this.#history;
    return {
      get version() {
        return latest().state.version;
      },
      get ring() {
        return latest().ring;
      },
      collect: (interest) => latest().state.list(interest).pages.flat(),
      history: (after, prior) => history.page(after, prior),
    };
  }
}
