import type { ApiObject } from '@orch/machinery';

/** A built-in resource in the version that is stored, by its group as the specification names it (`storage.orch.io`, '' for the core group). */
export interface KnownResource {
  /** As the specification names it; '' for the core group. */
  readonly group: string;
  /** Plural: `limitranges`. */
  readonly resource: string;
}

/** All objects of a resource, in memory. Nobody may change them. */
export interface FollowedObjects {
  /** @param namespace '' for an object without one */
  get(namespace: string, name: string): ApiObject | undefined;
  /** Those of a namespace; '' for objects without one. */
  in(namespace: string): Iterable<ApiObject>;
  /** Every one of them. */
  all(): Iterable<ApiObject>;
  /** Whether this process has written some of them since, and answered that it has: soon known. What is to be asked waits for it. */
  readonly isBehind: boolean;
  /**
   * Why some are not known that there are, of those that could concern what lies in a namespace; undefined where all of these are. A plugin
   * that would be told less than there is refuses with it. Any of those without a namespace could.
   */
  unreadable(namespace: string): Error | undefined;
  /**
   * Calls the listener when some have come, changed or gone, until the returned function is called, with their names: `namespace/name`, or the
   * name alone outside of namespaces.
   */
  onChange(listener: (changed: ReadonlySet<string>) => void): () => void;
}

/**
 * What plugins may look up. What is followed is known before the first request is answered, and whoever has had the answer to a write through
 * this process is judged by what it wrote; what others write is known a moment later.
 */
export interface KnownObjects {
  /** Objects of a resource in memory, from now on; for resources of which there are few. Only to be called while plugins are made. */
  follow(resource: KnownResource): FollowedObjects;
  /**
   * An object as of a moment after the call. A plugin that calls this says `callsOut: true`, unless it does so of creations alone, or
   * only where memory has nothing.
   * @throws StatusError 504
   */
  read(resource: KnownResource, namespace: string, name: string): Promise<ApiObject | undefined>;
  /**
   * All objects of a resource in a namespace as of a moment after the call, page by page, so that nobody holds them all. A plugin that
   * calls this says `callsOut: true`. @throws StatusError 504
   */
  list(resource: KnownResource, namespace: string): AsyncIterable<readonly ApiObject[]>;
}

/** For who would be told less than there is. @throws Error that says which of those that could concern a namespace cannot be read */
export function requireReadable(objects: Pick<FollowedObjects, 'unreadable'>, namespace: string): void {
  const unreadable = objects.unreadable(namespace);
  if (unreadable) throw unreadable;
}
