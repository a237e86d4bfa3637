import { type Following, FollowingEndedError, type OrderedFeed, type ResetReason } from '@orch/feed';
import { type Clock, systemClock } from '@orch/runtime';
import { Backoff, Slices } from '@orch/runtime/work';
import {
  type Change,
  type Key,
  type Row,
  type Store,
  type TypeId,
  type UnreadableBodyError,
  UnreadableChangesError,
  type Version,
} from '@orch/storage';
import { LeftOutObjects } from './left-out-objects.js';
import { STALL_MS, Stall } from './stall.js';

/** A stored object, from a snapshot or a change. */
export type FollowedRow = Row;

/** Store functions that objects are loaded with. */
export type ObjectSource = Pick<Store, 'snapshot' | 'get' | 'onRewind' | 'onStalledHistory' | 'noteLeftOut'>;

/** Options of an {@link ObjectFollower}. */
export interface ObjectFollowerOptions<T> {
  /** Store that the snapshot is loaded from. */
  readonly source: ObjectSource;
  /** Feed of the changes since the snapshot. */
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** Type of the objects that are followed. */
  readonly type: TypeId;
  /** Reads a stored row into the form kept in memory. Its errors are reported, and the object counts as missing. */
  read(row: FollowedRow, before: T | undefined): T;
  /** Called with failures to load, and once for each object that cannot be decrypted or decoded; loading is retried. */
  readonly onError: (error: unknown) => void;
  /** Clock for pauses and ages. Default: that of the system. */
  readonly clock?: Clock;
}

/** Key of an object among those of its type: `namespace/name`; the name alone outside of namespaces. */
export const followedName = ({ namespace, name }: Key): string => (namespace === '' ? name : `${namespace}/${name}`);

/** Names of the objects that have changed, have come or have gone. */
export type ChangedNames = ReadonlySet<string>;

const LOAD_RETRY = { firstMs: 100, longestMs: 5_000 };
/**
 * Milliseconds that first loads wait for a key service that does not answer, before they leave out the objects that
 * need it. Counted from the first load of a store, as a process that starts loads types one after the other.
 */
export const PATIENCE_MS = 30_000;
/** Monotonic milliseconds until when that is, by store. */
const patientUntil = new WeakMap<ObjectSource, number>();
/** Milliseconds from one load to the next, where the one has left something out: what comes may be of the same kind. */
const REST_MS = 1_000;
/** Milliseconds between attempts to learn what was committed, where a change cannot be opened for now, and for how long: then all is loaded without it. */
const CONFIRM_PAUSE_MS = 100;
const CONFIRM_PATIENCE_MS = 2 * STALL_MS;

/**
 * Informer over the objects of one type: loads a snapshot, applies the changes since, and reloads where these break
 * off. An object that cannot be opened is left out, so that it does not hold up the others, and retried until it can
 * be. Its last known state is dropped, unless the object has certainly not changed.
 */
export class ObjectFollower<T> {
  readonly #clock: Clock;
  readonly #listeners = new Set<(changed: ChangedNames) => void>();
  #known = new Map<string, T>();
  #version: Version | undefined;
  #following: Following | undefined;
  #loading: Promise<void> | undefined;
  /** Received changes that have not been applied yet, in order. */
  #heard: Change[] = [];
  /** Set while others have their turn before the next of it. */
  #noting: Promise<void> | undefined;
  #stopped = false;
  #wakeBackoff = (): void => undefined;
  readonly #leftOut: LeftOutObjects;
  /** Rewinds of the database's history so far, and how many there had been when the known state was loaded. */
  #rewinds = 0;
  #knownAsOf = 0;
  /** Monotonic milliseconds. */
  #loadedAt = Number.NEGATIVE_INFINITY;
  readonly #stall: Stall;
  readonly #subscriptions: (() => void)[] = [];

  constructor(private readonly options: ObjectFollowerOptions<T>) {
    this.#clock = options.clock ?? systemClock;
    this.#stall = new Stall(this.#clock);
    const { source, type, onError } = options;
    this.#leftOut = new LeftOutObjects({
      ...{ source, type, onError, clock: this.#clock },
      isUnchanged: (version) => this.#isUnchanged(version),
      onOpened: (row) => {
        this.#note(this.#known, row);
        this.#tell(new Set([followedName(row)]));
      },
    });
  }

  /** Objects by {@link followedName}; the map changes in place. */
  get objects(): ReadonlyMap<string, T> {
    return this.#known;
  }

  /** Errors of the existing objects that cannot be opened, by {@link followedName}. */
  get unreadable(): ReadonlyMap<string, UnreadableBodyError> {
    return this.#leftOut.errors;
  }

  /** Version of that state; undefined before it is first loaded. */
  get version(): Version | undefined {
    return this.#version;
  }

  /**
   * Time at which the objects were last known to be complete, monotonic milliseconds; undefined while they are being
   * loaded, or received changes have not been applied.
   */
  get confirmedAt(): number | undefined {
    return this.#noting ? undefined : this.#following?.confirmedAt;
  }

  /**
   * Begins to follow. Resolves once all objects that can be opened are loaded, however long that takes, or it is
   * stopped.
   */
  start(): Promise<void> {
    const { source, type } = this.options;
    if (!patientUntil.has(source)) patientUntil.set(source, this.#clock.now() + PATIENCE_MS);
    if (this.#subscriptions.length === 0) {
      this.#subscriptions.push(source.onRewind(() => void this.#rewinds++));
      const unsubscribe = source.onStalledHistory?.(type, (at) => this.#stalled(at));
      if (unsubscribe) this.#subscriptions.push(unsubscribe);
    }
    return this.#load();
  }

  /** Stops following; the objects stay as they are. Pending calls of {@link confirm} throw a FollowingEndedError. */
  stop(): void {
    this.#stopped = true;
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    this.#leftOut.stop();
    this.#wakeBackoff();
    this.#following?.close();
  }

  /** Calls the listener after every change and reload. @returns removes the listener */
  onChange(listener: (changed: ChangedNames) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Waits until everything that was committed before the call is applied, and resolves with that version.
   * @throws StoreUnavailableError; FollowingEndedError when it is stopped
   */
  async confirm(): Promise<Version> {
    const deadline = this.#clock.now() + CONFIRM_PATIENCE_MS;
    for (;;) {
      await this.#loading;
      const following = this.#following;
      if (this.#stopped || !following) throw new FollowingEndedError('objects are not followed');
      try {
        const version = await following.confirm();
        while (this.#noting) await this.#noting;
        // A reload drops changes that were delivered and not yet applied: the version holds only without one.
        if (this.#following === following) return version;
      } catch (error) {
        if (this.#stopped) throw error;
        if (error instanceof UnreadableChangesError && this.#clock.now() < deadline)
          await new Promise<void>((resolve) => this.#clock.after(CONFIRM_PAUSE_MS, resolve));
        else if (!(error instanceof FollowingEndedError)) throw error;
      }
    }
  }

  #load(): Promise<void> {
    this.#loading ??= this.#tryToLoad().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Never rejects. */
  async #tryToLoad(): Promise<void> {
    const backoff = new Backoff(LOAD_RETRY);
    while (!this.#stopped) {
      try {
        return await this.#loadOnce();
      } catch (error) {
        this.options.onError(error);
        await this.#pause(backoff.next());
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      this.#wakeBackoff = () => {
        cancel();
        resolve();
      };
    });
  }

  async #loadOnce(): Promise<void> {
    const { source, feed, type } = this.options;
    if (this.unreadable.size > 0) await this.#pause(Math.max(0, this.#loadedAt + REST_MS - this.#clock.now()));
    if (this.#stopped) return;
    const rewinds = this.#rewinds;
    const loaded = new Map<string, T>();
    const unreadable = new Map<string, UnreadableBodyError>();
    const { version, pages } = await source.snapshot({
      type,
      onUnreadable: (error, at) => {
        const name = followedName(error.what.key);
        if (this.#known.has(name) && this.#isUnchanged(at)) loaded.set(name, this.#known.get(name) as T);
        else unreadable.set(name, error);
      },
    });
    const slices = new Slices();
    for await (const page of pages) {
      for (const row of page) {
        this.#note(loaded, row);
        await slices.between();
      }
    }
    if (this.#stopped) return;
    if (rewinds !== this.#rewinds) throw new Error('the database has gone back in time while it was read');
    this.#requirePatience(unreadable);
    const changed = new Set([
      ...[...this.#known.keys(), ...loaded.keys()],
      ...[...this.unreadable.keys(), ...unreadable.keys()],
    ]);
    this.#known = loaded;
    this.#knownAsOf = rewinds;
    this.#version = version;
    this.#loadedAt = this.#clock.now();
    this.#stall.over();
    this.#leftOut.replace(unreadable);
    this.#following = feed.follow(type, version, {
      changes: (changes) => this.#changed(changes),
      confirmed: () => undefined,
      reset: (reason) => this.#reset(reason),
    });
    this.#tell(changed);
  }

  /** Whether the last write of an object, which had this version, is not newer than the known state. */
  #isUnchanged(version: Version): boolean {
    return this.#rewinds === this.#knownAsOf && this.#version !== undefined && version <= this.#version;
  }

  /** Fails a first load for a while: deciding without some objects would be worse. @throws UnreadableBodyError */
  #requirePatience(unreadable: ReadonlyMap<string, UnreadableBodyError>): void {
    if (this.#version !== undefined) return;
    if (this.#clock.now() >= (patientUntil.get(this.options.source) ?? 0)) return;
    for (const error of unreadable.values()) if (error.passing) throw error;
  }

  #changed(changes: readonly Change[]): void {
    this.#stall.over();
    this.#heard = [...this.#heard, ...changes];
    if (!this.#noting) this.#noteHeard();
  }

  /** Takes turns with others: many large objects that change at once take long to read. */
  #noteHeard(): void {
    const slices = new Slices();
    const names = new Set<string>();
    for (const [at, change] of this.#heard.entries()) {
      const pause = slices.between();
      if (pause) {
        this.#heard = this.#heard.slice(at);
        this.#noting = pause.then(() => {
          this.#noting = undefined;
          if (!this.#stopped) this.#noteHeard();
        });
        break;
      }
      const name = followedName(change);
      this.#leftOut.forget(name);
      if (change.op === 'delete') this.#known.delete(name);
      else this.#note(this.#known, change);
      this.#version = change.version;
      names.add(name);
    }
    if (!this.#noting) this.#heard = [];
    if (names.size > 0) this.#tell(names);
  }

  /**
   * Applies a row. A row that cannot be read is dropped from the known objects, so that the others are not affected.
   */
  #note(known: Map<string, T>, row: FollowedRow): void {
    const name = followedName(row);
    try {
      known.set(name, this.options.read(row, this.#known.get(name)));
    } catch (error) {
      known.delete(name);
      this.options.onError(error);
    }
  }

  /** The change of this version cannot be opened for now: what comes behind it, such as rights that are taken away, cannot wait for long. */
  #stalled(at: Version): void {
    if (!this.#following || at <= this.#following.delivered || !this.#stall.isTooLong()) return;
    this.#following.close();
    this.#reset('expired');
  }

  /** Discards the feed and reloads; the known objects stay until all are loaded again. */
  #reset(reason: ResetReason): void {
    if (reason === 'rewound') this.#rewinds++;
    this.#following = undefined;
    this.#heard = [];
    void this.#load();
  }

  #tell(changed: ChangedNames): void {
    for (const listener of [...this.#listeners]) listener(changed);
  }
}
