/** Keys of objects that were added, changed or deleted: `namespace/name`, or the name alone outside of namespaces. */
export type ChangedKeys = ReadonlySet<string>;

/** Functions that return the values by which an index holds an object, by the name of the index. */
export type Indexers<T> = Readonly<Record<string, (object: T, key: string) => readonly string[]>>;

/** Read access to the cached objects of an informer. They are shared: they must not be changed. */
export interface Lister<T> {
  /** Number of cached objects. */
  readonly size: number;
  /** Returns the object of a key; undefined where there is none. */
  get(key: string): T | undefined;
  /** Whether there is an object of this key. */
  has(key: string): boolean;
  /** Returns the keys of all objects. */
  keys(): Iterable<string>;
  /** Returns all objects, in no order. */
  list(): Iterable<T>;
  /** Returns the objects that an index holds by a value, in no order. @throws RangeError for an unknown index */
  byIndex(index: string, value: string): Iterable<T>;
}

/** Handlers of events; calls come in the order of the changes, one at a time. Their errors are reported. */
export interface InformerHandlers<T> {
  /** A new object. */
  added?(object: T): void;
  /** `before` is the last cached state: changes in between may have been missed when all objects were listed again. */
  updated?(before: T, after: T): void;
  /** `missed`: the deletion itself was not seen, `object` is the last known state. */
  deleted?(object: T, missed: boolean): void;
}

/**
 * Cached objects of one resource that are kept up to date, whichever source they come from: the store of this process,
 * or an API server over HTTP. What controllers read from and are woken by.
 */
export interface SharedInformer<T> extends Lister<T> {
  /** Whether all objects have been listed once. */
  readonly hasSynced: boolean;
  /**
   * Calls the listener with the keys of objects that have changed, until the returned function is called. After a
   * resync, which follows a gap in the changes, with all keys.
   */
  onChange(listener: (changed: ChangedKeys) => void): () => void;
  /**
   * Adds handlers until the returned function is called; `added` is called for all cached objects before this returns.
   */
  subscribe(handlers: InformerHandlers<T>): () => void;
  /** Resolves when everything is cached that any process wrote before the call. */
  confirm(): Promise<unknown>;
}

/** New state of an object; `last` is the state that it was deleted with, where the source tells. */
export type ObjectState<T> = { readonly op: 'set'; readonly object: T } | { readonly op: 'delete'; readonly last?: T };

/** Cache that a {@link Reflector} writes to. */
export interface ReflectorTarget<T> extends Lister<T> {
  /**
   * Replaces all objects after a list. An object that is the same as before has not changed.
   * @param more keys of which listeners are told beside those of the objects
   */
  replace(objects: ReadonlyMap<string, T>, more?: Iterable<string>): void;
  /** Applies changes, in their order; none for a sign of life. */
  apply(changes: ReadonlyMap<string, ObjectState<T>>): void;
}

/** Source of the objects of one resource. */
export interface Reflector<T> {
  /**
   * Lists all objects into the target, and then applies their changes. Resolves when changes may have been missed, or
   * the signal aborts: the informer lists again.
   * @throws what keeps it from that; it is reported, and tried again with backoff
   */
  listAndWatch(target: ReflectorTarget<T>, signal: AbortSignal): Promise<void>;
  /** Resolves when everything has reached the target that was written before the call. */
  confirm(): Promise<unknown>;
  /** Returns the least milliseconds after which an error allows another attempt. Default: 0. */
  retryAfterMs?(error: unknown): number;
}
