import type { OrderedFeed } from '@orch/feed';
import { timeout } from '@orch/machinery';
import { type TypeId, UnreadableListError, type Version } from '@orch/storage';
import {
  type ChangedNames,
  type FollowedRow,
  followedName,
  ObjectFollower,
  type ObjectSource,
} from './object-follower.js';

/** Source of the objects of a type. */
export interface FollowedSource<T> {
  /** Type of the objects that are followed. */
  readonly type: TypeId;
  /**
   * Reads a stored row into the form that is kept in memory. Its errors are reported, and the object counts as missing.
   */
  read(row: FollowedRow): T;
  /** Store that the snapshot is loaded from. */
  readonly store: ObjectSource;
  /** Feed of the changes since the snapshot. */
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** Called with what could not be loaded or read; loading is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Seconds after which a request that ran out of time may be tried again. */
const RETRY_SECONDS = 1;

/** Informer over one type, indexed by namespace; empty before {@link start}. */
export class FollowedType<T> {
  readonly #byNamespace = new Map<string, Map<string, T>>();
  readonly #listeners = new Set<(changed: ChangedNames) => void>();
  #follower: ObjectFollower<T> | undefined;
  #acknowledged: Version = 0n;

  /** Loads all objects and begins to follow changes; resolves once they are loaded. */
  async start({ type, read, store, feed, onError }: FollowedSource<T>): Promise<void> {
    const follower = new ObjectFollower<T>({ ...{ source: store, feed, type, onError }, read });
    follower.onChange((changed) => this.#changed(changed, follower.objects));
    this.#follower = follower;
    await follower.start();
  }

  /** Stops following; the objects stay as they are. */
  stop(): void {
    this.#follower?.stop();
  }

  /** The object of this name; undefined where there is none, or it cannot be read. */
  get(namespace: string, name: string): T | undefined {
    return this.#byNamespace.get(namespace)?.get(name);
  }

  /** The objects of a namespace, in no order. */
  in(namespace: string): Iterable<T> {
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  /** The objects of all namespaces, in no order. */
  *all(): Iterable<T> {
    for (const objects of this.#byNamespace.values()) yield* objects.values();
  }

  /**
   * Returns an error where an object cannot be read that is in the namespace or in none; see
   * {@link FollowedObjects.unreadable}.
   */
  unreadable(namespace: string): UnreadableListError | undefined {
    const unreadable = this.#follower?.unreadable;
    if (!unreadable || unreadable.size === 0) return undefined;
    for (const error of unreadable.values()) {
      const { namespace: within } = error.what.key;
      if (within === '' || within === namespace) return new UnreadableListError(error);
    }
    return undefined;
  }

  /** Returns an error where this one object cannot be read. */
  unreadableOne(namespace: string, name: string): UnreadableListError | undefined {
    const error = this.#follower?.unreadable.get(followedName({ namespace, name }));
    return error && new UnreadableListError(error);
  }

  /**
   * Calls the listener with the names of objects that have come, changed or gone, until the returned function is
   * called.
   */
  onChange(listener: (changed: ChangedNames) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether a write that this process has acknowledged is still missing. */
  get isBehind(): boolean {
    return this.#follower !== undefined && !this.#knows(this.#acknowledged);
  }

  /** Notes that a write of this process has been committed with this version. */
  acknowledged(version: Version): void {
    if (version > this.#acknowledged) this.#acknowledged = version;
  }

  /** Forgets acknowledged versions, after the database has lost part of its history. */
  rewound(): void {
    this.#acknowledged = 0n;
  }

  /**
   * Waits until all writes that this process has acknowledged before the call are known; undefined where they are.
   * @param deadline monotonic milliseconds
   * @throws StatusError 504
   */
  caughtUp(deadline: number): Promise<void> | undefined {
    const follower = this.#follower;
    if (!follower || !this.isBehind) return undefined;
    const wanted = this.#acknowledged;
    return new Promise((resolve, reject) => {
      const ended = (end: () => void) => {
        clearTimeout(timer);
        unsubscribe();
        end();
      };
      const unsubscribe = follower.onChange(() => {
        if (this.#knows(wanted)) ended(resolve);
      });
      const late = () => ended(() => reject(timeout('the request timed out', RETRY_SECONDS)));
      const timer = setTimeout(late, Math.min(Math.max(deadline - performance.now(), 0), LONGEST_MS));
    });
  }

  #knows(version: Version): boolean {
    const known = this.#follower?.version;
    // After a rewind the awaited version may never come.
    return known !== undefined && (known >= version || this.#acknowledged < version);
  }

  #changed(changed: ChangedNames, objects: ReadonlyMap<string, T>): void {
    for (const key of changed) {
      const at = key.indexOf('/');
      const [namespace, name] = [key.slice(0, Math.max(at, 0)), key.slice(at + 1)];
      const object = objects.get(key);
      if (object) this.#put(namespace, name, object);
      else this.#remove(namespace, name);
    }
    for (const listener of this.#listeners) listener(changed);
  }

  #put(namespace: string, name: string, object: T): void {
    const within = this.#byNamespace.get(namespace) ?? new Map<string, T>();
    within.set(name, object);
    this.#byNamespace.set(namespace, within);
  }

  #remove(namespace: string, name: string): void {
    const within = this.#byNamespace.get(namespace);
    within?.delete(name);
    if (within?.size === 0) this.#byNamespace.delete(namespace);
  }
}

/** Longest time that timers take, ms. */
const LONGEST_MS = 2 ** 31 - 1;
