import { type ApiObject, notFound } from '@orch/machinery';
import type { FollowedObjects, KnownObjects } from '../../known-objects.js';

/** The resource of namespaces. */
export const NAMESPACES = { group: '', resource: 'namespaces' };

/** Looks namespaces up in memory, and where they are not there in the database: another process may just have made them. */
export class NamespaceLookup {
  readonly #followed: FollowedObjects;

  constructor(private readonly objects: KnownObjects) {
    this.#followed = objects.follow(NAMESPACES);
  }

  /** Undefined for one that there is not. */
  find(name: string): ApiObject | undefined | Promise<ApiObject | undefined> {
    return this.#followed.get('', name) ?? this.objects.read(NAMESPACES, '', name);
  }

  /** Works on one that has to be there. @throws StatusError 404 */
  with(name: string, work: (namespace: ApiObject) => void): void | Promise<void> {
    const found = this.find(name);
    if (!(found instanceof Promise)) return work(required(name, found));
    return found.then((namespace) => work(required(name, namespace)));
  }
}

function required(name: string, namespace: ApiObject | undefined): ApiObject {
  if (!namespace) throw notFound(NAMESPACES, name);
  return namespace;
}
