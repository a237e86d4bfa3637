import type { ApiObject } from '@orch/machinery';
import type { SharedInformer } from '@orch/runtime/informers';

/**
 * A built-in resource in its storage version, by its group as the specification names it (`storage.orch.io`, '' for the
 * core group).
 */
export interface KnownResource {
  /** Group as the specification names it; '' for the core group. */
  readonly group: string;
  /** Plural: `limitranges`. */
  readonly resource: string;
}

/** All objects of a resource, cached in memory. Callers must not change them. */
export interface FollowedObjects {
  /** The informer behind it, for controllers. */
  readonly informer: SharedInformer<ApiObject>;
  /** Returns an object, if it exists. @param namespace '' for an object without one */
  get(namespace: string, name: string): ApiObject | undefined;
  /** Returns the objects of a namespace; '' for objects without one. */
  in(namespace: string): Iterable<ApiObject>;
  /** Returns all objects. */
  all(): Iterable<ApiObject>;
  /**
   * Whether this process has written, and acknowledged, objects that the cache does not have yet. It will have them
   * soon; callers that need them wait for it.
   */
  readonly isBehind: boolean;
  /**
   * Returns why some existing objects that could concern a namespace are not in the cache; undefined if all of these
   * are. A plugin that would otherwise decide on incomplete information refuses with this error. Any object without a
   * namespace could concern it.
   */
  unreadable(namespace: string): Error | undefined;
  /**
   * Calls the listener after objects were added, changed or deleted, until the returned function is called, with their
   * names: `namespace/name`, or the name alone for objects without a namespace.
   */
  onChange(listener: (changed: ReadonlySet<string>) => void): () => void;
}

/**
 * Objects that plugins may look up. A followed resource is loaded before the first request is answered. A client that
 * has had the answer to a write through this process is judged by that write; writes through other processes are seen a
 * moment later.
 */
export interface KnownObjects {
  /**
   * Caches the objects of a resource in memory from now on; for resources with few objects. Must only be called while
   * plugins are made.
   */
  follow(resource: KnownResource): FollowedObjects;
  /**
   * Reads an object, at least as new as the call. A plugin that calls this declares `callsOut: true`, unless it does so
   * for creations alone, or only if the cache has no such object.
   * @throws StatusError 504
   */
  read(resource: KnownResource, namespace: string, name: string): Promise<ApiObject | undefined>;
  /**
   * Reads all objects of a resource in a namespace, at least as new as the call, page by page, so that they are never
   * all in memory. A plugin that calls this declares `callsOut: true`.
   * @throws StatusError 504
   */
  list(resource: KnownResource, namespace: string): AsyncIterable<readonly ApiObject[]>;
}

/**
 * Refuses to decide on incomplete information.
 * @throws Error that names an object that could concern the namespace and is unreadable
 */
export function requireReadable(objects: Pick<FollowedObjects, 'unreadable'>, namespace: string): void {
  const unreadable = objects.unreadable(namespace);
  if (unreadable) throw unreadable;
}
