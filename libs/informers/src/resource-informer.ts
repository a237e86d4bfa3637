import type { OrderedFeed } from '@orch/feed';
import { timeout } from '@orch/machinery';
import { LONGEST_TIMER_MS, systemClock } from '@orch/runtime';
import { type ChangedKeys, SharedIndexInformer, type SharedInformer } from '@orch/runtime/informers';
import { type Row, type TypeId, UnreadableListError, type Version } from '@orch/storage';
import { informerSettings } from './store-informer.js';
import { type InformerStore, informerKey, StoreReflector } from './store-reflector.js';

/** Source of the objects of a {@link ResourceInformer}. */
export interface ResourceInformerSource<T> {
  /** Type of the objects. */
  readonly type: TypeId;
  /**
   * Reads a stored row into the form that is kept in memory. Its errors are reported, and the object counts as missing.
   */
  read(row: Row): T;
  /** Store that the objects are listed from. */
  readonly store: InformerStore;
  /** Feed of the changes since the list. */
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** Called with what could not be listed or read; listing is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Seconds after which a request that ran out of time may be tried again. */
const RETRY_SECONDS = 1;
/** Index by namespace. */
const NAMESPACE = 'namespace';

/**
 * Objects of one type by namespace and name, for what decides on requests: it knows which acknowledged writes are still
 * missing. Empty before {@link start}.
 */
export class ResourceInformer<T> {
  readonly #informer = new SharedIndexInformer<T>({
    [NAMESPACE]: (_object, key) => [key.slice(0, Math.max(key.indexOf('/'), 0))],
  });
  #reflector: StoreReflector<T> | undefined;
  #acknowledged: Version = 0n;

  /** The informer, for controllers. */
  get informer(): SharedInformer<T> {
    return this.#informer;
  }

  /** Lists all objects and begins to watch; resolves once they are listed. */
  start({ store: source, ...rest }: ResourceInformerSource<T>): Promise<void> {
    this.#reflector = new StoreReflector<T>({ ...rest, source });
    return this.#informer.run(this.#reflector, informerSettings(rest));
  }

  /** Stops watching; the objects stay as they are. */
  stop(): void {
    void this.#informer.stop();
  }

  /** The object of this name; undefined where there is none, or it cannot be read. */
  get(namespace: string, name: string): T | undefined {
    return this.#informer.get(informerKey({ namespace, name }));
  }

  /** The objects of a namespace, in no order. */
  in(namespace: string): Iterable<T> {
    return this.#informer.byIndex(NAMESPACE, namespace);
  }

  /** The objects of all namespaces, in no order. */
  all(): Iterable<T> {
    return this.#informer.list();
  }

  /**
   * Returns an error where an object cannot be read that is in the namespace or in none; see
   * {@link FollowedObjects.unreadable}.
   */
  unreadable(namespace: string): UnreadableListError | undefined {
    const unreadable = this.#reflector?.unreadable;
    if (!unreadable || unreadable.size === 0) return undefined;
    for (const error of unreadable.values()) {
      const { namespace: within } = error.what.key;
      if (within === '' || within === namespace) return new UnreadableListError(error);
    }
    return undefined;
  }

  /** Returns an error where this one object cannot be read. */
  unreadableOne(namespace: string, name: string): UnreadableListError | undefined {
    const error = this.#reflector?.unreadable.get(informerKey({ namespace, name }));
    return error && new UnreadableListError(error);
  }

  /**
   * Calls the listener with the keys of objects that were added, changed or deleted, until the returned function is
   * called.
   */
  onChange(listener: (changed: ChangedKeys) => void): () => void {
    return this.#informer.onChange(listener);
  }

  /** Whether a write that this process has acknowledged is still missing. */
  get isBehind(): boolean {
    return this.#reflector !== undefined && !this.#holds(this.#acknowledged);
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
   * Waits until all writes that this process has acknowledged before the call are cached; undefined where they are.
   * @param deadline monotonic milliseconds
   * @throws StatusError 504
   */
  caughtUp(deadline: number): Promise<void> | undefined {
    if (!this.isBehind) return undefined;
    const wanted = this.#acknowledged;
    return new Promise((resolve, reject) => {
      const ended = (end: () => void) => {
        cancel();
        unsubscribe();
        end();
      };
      const unsubscribe = this.#informer.onChange(() => {
        if (this.#holds(wanted)) ended(resolve);
      });
      const late = () => ended(() => reject(timeout('the request timed out', RETRY_SECONDS)));
      const cancel = systemClock.after(Math.min(deadline - systemClock.now(), LONGEST_TIMER_MS), late);
    });
  }

  #holds(version: Version): boolean {
    const known = this.#reflector?.version;
    // After a rewind the awaited version may never come.
    return known !== undefined && (known >= version || this.#acknowledged < version);
  }
}
