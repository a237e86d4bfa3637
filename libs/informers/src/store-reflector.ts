import { FollowingEndedError, type OrderedFeed, type ResetReason } from '@orch/feed';
import { type Clock, sleep, systemClock } from '@orch/runtime';
import type { ObjectState, Reflector, ReflectorTarget } from '@orch/runtime/informers';
import { Slices } from '@orch/runtime/work';
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
import { ChangeFollower } from './change-follower.js';
import { PendingChanges } from './pending-changes.js';
import { STALL_MS } from './stall.js';
import { UnreadableObjects } from './unreadable-objects.js';

/** Store functions that objects are listed with. */
export type InformerStore = Pick<Store, 'snapshot' | 'get' | 'onRewind' | 'onStalledHistory' | 'noteLeftOut'>;

/** Options of a {@link StoreReflector}. */
export interface StoreReflectorOptions<T> {
  /** Store that the objects are listed from. */
  readonly source: InformerStore;
  /** Feed of the changes since the list. */
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** Type of the objects. */
  readonly type: TypeId;
  /** Only the objects of this namespace. Default: those of all. */
  readonly namespace?: string;
  /** Reads a stored row into the form kept in memory. Its errors are reported, and the object counts as missing. */
  read(row: Row, before: T | undefined): T;
  /** Whether an object that was read is left out, as if there were none of its name. Default: none is. */
  leavesOut?(object: T): boolean;
  /** Called with failures to list, and once for each object that cannot be decrypted or decoded; listing is retried. */
  readonly onError: (error: unknown) => void;
  /** Clock for pauses and ages. Default: that of the system. */
  readonly clock?: Clock;
}

/** Key of an object among those of its type: `namespace/name`; the name alone outside of namespaces. */
export const informerKey = ({ namespace, name }: Key): string => (namespace === '' ? name : `${namespace}/${name}`);

/**
 * Milliseconds that first lists wait for a key service that does not answer, before they leave out the objects that
 * need it. Counted from the first list of a store, as a process that starts lists types one after the other.
 */
export const PATIENCE_MS = 30_000;
/** Monotonic milliseconds until when that is, by store. */
const patientUntil = new WeakMap<InformerStore, number>();
/** Milliseconds from one list to the next, where the one has left something out: what comes may be of the same kind. */
const REST_MS = 1_000;
/** Milliseconds between attempts to learn what was committed, where a change cannot be opened for now, and for how long: then all is listed without it. */
const CONFIRM_PAUSE_MS = 100;
const CONFIRM_PATIENCE_MS = 2 * STALL_MS;

/**
 * Lists the objects of a type from the store of this process, and applies the changes of the feed. An object that
 * cannot be opened is left out, so that it does not hold up the others, and retried until it can be. Its last known
 * state is dropped, unless the object has certainly not changed.
 */
export class StoreReflector<T> implements Reflector<T> {
  readonly #clock: Clock;
  readonly #changes: ChangeFollower;
  readonly #pending = new PendingChanges((changes) => this.#apply(changes));
  readonly #unreadable: UnreadableObjects;
  #target: ReflectorTarget<T> | undefined;
  #version: Version | undefined;
  /** Set while objects are listed; resolves when they are, or it is stopped. */
  #listing: { readonly ended: Promise<void>; end(): void } | undefined;
  /** Ends the watch under way, after a gap. */
  #endWatch = (): void => undefined;
  #stopped = false;
  /** Rewinds of the database's history so far, and how many there had been when the known state was listed. */
  #rewinds = 0;
  #knownAsOf = 0;
  /** Monotonic milliseconds. */
  #listedAt = Number.NEGATIVE_INFINITY;
  /** Counts the lists. */
  #lists = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(private readonly options: StoreReflectorOptions<T>) {
    const { source, feed, type, onError, clock = systemClock } = options;
    this.#clock = clock;
    this.#changes = new ChangeFollower({
      ...{ type, feed, clock, store: source },
      from: () => this.#list(),
      changed: (changes) => this.#pending.add(changes),
      reset: (reason) => this.#reset(reason),
    });
    this.#unreadable = new UnreadableObjects({
      ...{ source, type, onError, clock },
      isUnchanged: (version) => this.#isUnchanged(version),
      onOpened: (row) => this.#target?.apply(new Map([[informerKey(row), this.#stateOf(row)]])),
    });
  }

  /** Errors of the existing objects that cannot be opened, by {@link informerKey}. */
  get unreadable(): ReadonlyMap<string, UnreadableBodyError> {
    return this.#unreadable.errors;
  }

  /** Version of the cached state; undefined before it is first listed. */
  get version(): Version | undefined {
    return this.#version;
  }

  /**
   * Time at which the objects were last known to be complete, monotonic milliseconds; undefined while they are being
   * listed, or received changes have not been applied.
   */
  get confirmedAt(): number | undefined {
    return this.#pending.applied ? undefined : this.#changes.confirmedAt;
  }

  /** See {@link Reflector.listAndWatch}. It is stopped for good once the signal of its first call aborts. */
  async listAndWatch(target: ReflectorTarget<T>, signal: AbortSignal): Promise<void> {
    const { source } = this.options;
    this.#target = target;
    if (!patientUntil.has(source)) patientUntil.set(source, this.#clock.now() + PATIENCE_MS);
    if (!this.#unsubscribe) {
      this.#unsubscribe = source.onRewind(() => void this.#rewinds++);
      signal.addEventListener('abort', () => this.#stop());
    }
    this.#beginListing();
    const ended = new Promise<void>((resolve) => {
      this.#endWatch = resolve;
    });
    if (this.unreadable.size > 0)
      await sleep(this.#clock, Math.max(0, this.#listedAt + REST_MS - this.#clock.now()), signal);
    await this.#changes.follow();
    if (this.#changes.isFollowing) {
      this.#listing?.end();
      this.#listing = undefined;
    }
    await ended;
  }

  /**
   * Waits until everything that was committed before the call is applied, and resolves with that version.
   * @throws StoreUnavailableError; FollowingEndedError when it is stopped
   */
  async confirm(): Promise<Version> {
    const deadline = this.#clock.now() + CONFIRM_PATIENCE_MS;
    for (;;) {
      await this.#listing?.ended;
      const lists = this.#lists;
      if (this.#stopped) throw new FollowingEndedError('objects are not followed');
      try {
        const version = await this.#changes.confirm();
        for (let applied = this.#pending.applied; applied; applied = this.#pending.applied) await applied;
        // A list drops changes that were delivered and not yet applied: the version holds only without one.
        if (this.#lists === lists && !this.#listing) return version;
      } catch (error) {
        if (this.#stopped) throw error;
        if (error instanceof UnreadableChangesError && this.#clock.now() < deadline)
          await sleep(this.#clock, CONFIRM_PAUSE_MS);
        else if (!(error instanceof FollowingEndedError && this.#goesOn)) throw error;
      }
    }
  }

  get #goesOn(): boolean {
    return this.#listing !== undefined || this.#changes.isFollowing;
  }

  #beginListing(): void {
    if (this.#listing || this.#stopped) return;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#listing = { ended, end };
  }

  #stop(): void {
    this.#stopped = true;
    this.#unsubscribe?.();
    this.#unreadable.stop();
    this.#pending.clear();
    this.#changes.stop();
    this.#listing?.end();
    this.#endWatch();
  }

  /** @returns the version of the listed state */
  async #list(): Promise<Version> {
    const { source, type, namespace } = this.options;
    const rewinds = this.#rewinds;
    const listed = new Map<string, T>();
    const unreadable = new Map<string, UnreadableBodyError>();
    const { version, pages } = await source.snapshot({
      type,
      ...(namespace !== undefined && { namespace }),
      onUnreadable: (error, at) => {
        const key = informerKey(error.what.key);
        if (this.#target?.has(key) && this.#isUnchanged(at)) listed.set(key, this.#target?.get(key) as T);
        else unreadable.set(key, error);
      },
    });
    const slices = new Slices();
    for await (const page of pages) {
      for (const row of page) {
        const state = this.#stateOf(row);
        if (state.op === 'set') listed.set(informerKey(row), state.object);
        await slices.between();
      }
    }
    if (this.#stopped) return version;
    if (rewinds !== this.#rewinds) throw new Error('the database has gone back in time while it was read');
    this.#requirePatience(unreadable);
    this.#knownAsOf = rewinds;
    this.#version = version;
    this.#listedAt = this.#clock.now();
    this.#lists++;
    const more = [...this.unreadable.keys(), ...unreadable.keys()];
    this.#unreadable.replace(unreadable);
    this.#target?.replace(listed, more);
    return version;
  }

  /** Whether the last write of an object, which had this version, is not newer than the known state. */
  #isUnchanged(version: Version): boolean {
    return this.#rewinds === this.#knownAsOf && this.#version !== undefined && version <= this.#version;
  }

  /** Fails a first list for a while: deciding without some objects would be worse. @throws UnreadableBodyError */
  #requirePatience(unreadable: ReadonlyMap<string, UnreadableBodyError>): void {
    if (this.#version !== undefined) return;
    if (this.#clock.now() >= (patientUntil.get(this.options.source) ?? 0)) return;
    for (const error of unreadable.values()) if (error.passing) throw error;
  }

  #apply(changes: Iterable<Change>): void {
    const states = new Map<string, ObjectState<T>>();
    const { namespace } = this.options;
    for (const change of changes) {
      this.#version = change.version;
      if (namespace !== undefined && change.namespace !== namespace) continue;
      const key = informerKey(change);
      this.#unreadable.forget(key);
      states.set(key, change.op === 'delete' ? { op: 'delete' } : this.#stateOf(change, states.get(key)));
    }
    if (states.size > 0) this.#target?.apply(states);
  }

  /** Reads a row. One that cannot be read counts as deleted, so that the others are not affected. */
  #stateOf(row: Row, earlier?: ObjectState<T>): ObjectState<T> {
    const known = earlier ?? { op: 'set', object: this.#target?.get(informerKey(row)) as T };
    try {
      const object = this.options.read(row, known.op === 'set' ? known.object : undefined);
      return this.options.leavesOut?.(object) ? { op: 'delete' } : { op: 'set', object };
    } catch (error) {
      this.options.onError(error);
      return { op: 'delete' };
    }
  }

  /** Discards what was received; the known objects stay until all are listed again. */
  #reset(reason: ResetReason): void {
    if (reason === 'rewound') this.#rewinds++;
    this.#pending.clear();
    this.#beginListing();
    this.#endWatch();
  }
}
