import type { ApiObject } from '@orch/machinery';

/** Handlers of changes; calls come in the order of the changes, one at a time. */
export interface InformerHandlers<T extends ApiObject> {
  /** A new object. It is shared: it must not be changed. */
  added?(object: T): void;
  /** `before` is the last cached state: changes in between may have been missed when the state was listed again. */
  updated?(before: T, after: T): void;
  /** `missed`: the deletion itself was not seen, `object` is the last known state. */
  deleted?(object: T, missed: boolean): void;
}

/** `namespace/name`, or `name` for objects without a namespace. */
export function keyOf(object: ApiObject): string {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace ? `${namespace}/${name}` : name;
}

/** The objects of an informer by key, and their event handlers. */
export class ObjectStore<T extends ApiObject> {
  #objects = new Map<string, T>();
  readonly #subscribers: InformerHandlers<T>[] = [];
  readonly #onError: (error: unknown) => void;

  /** `onError` gets errors of handlers: they must not stop the updates. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Adds handlers; `added` is called for all cached objects. */
  subscribe(handlers: InformerHandlers<T>): void {
    for (const object of this.#objects.values()) this.#call(() => handlers.added?.(object));
    this.#subscribers.push(handlers);
  }

  /** Number of cached objects. */
  get size(): number {
    return this.#objects.size;
  }

  /** Returns an object by its key; undefined if it is not cached. */
  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** Iterates over all cached objects. */
  values(): Iterable<T> {
    return this.#objects.values();
  }

  /** Adds or replaces an object, and notifies handlers of it. */
  set(object: T): void {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#changed(before, object);
  }

  /** Removes an object, and notifies handlers if it was cached. */
  delete(object: T): void {
    if (this.#objects.delete(keyOf(object))) this.#tell((handlers) => handlers.deleted?.(object, false));
  }

  /** Replaces the whole state, and notifies handlers of the differences. */
  replace(objects: ReadonlyMap<string, T>): void {
    const before = this.#objects;
    this.#objects = new Map(objects);
    for (const [key, old] of before) {
      if (!objects.has(key)) this.#tell((handlers) => handlers.deleted?.(old, true));
    }
    for (const [key, object] of objects) {
      const old = before.get(key);
      if (old?.metadata?.resourceVersion !== object.metadata?.resourceVersion || !old) this.#changed(old, object);
    }
  }

  #changed(before: T | undefined, after: T): void {
    this.#tell((handlers) => (before === undefined ? handlers.added?.(after) : handlers.updated?.(before, after)));
  }

  #tell(event: (handlers: InformerHandlers<T>) => void): void {
    for (const handlers of this.#subscribers) this.#call(() => event(handlers));
  }

  #call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#onError(error);
    }
  }
}
