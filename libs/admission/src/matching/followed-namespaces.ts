import { type ApiObject, notFound } from '@orch/machinery';
import type { FollowedObjects, KnownObjects } from '../known-objects.js';
import { NAMESPACES } from '../plugins/namespaces/namespace-lookup.js';
import type { Labels } from './match.js';

/** Labels of namespaces, for the namespace selectors of webhooks and policies. */
export class FollowedNamespaces {
  readonly #followed: FollowedObjects;

  constructor(private readonly objects: KnownObjects) {
    this.#followed = objects.follow(NAMESPACES);
  }

  /** Whether this process has written namespaces that the cache does not have yet: their labels may be outdated. */
  get isBehind(): boolean {
    return this.#followed.isBehind;
  }

  /** Returns the cached labels; undefined for a namespace that is not cached. */
  known(name: string): Labels | undefined {
    const found = this.#followed.get('', name);
    return found && labelsOf(found);
  }

  /** Returns the labels, from the database for a namespace that is not cached. @throws StatusError 404 */
  labels(name: string): Labels | Promise<Labels> {
    return this.known(name) ?? this.#read(name).then(labelsOf);
  }

  /** Returns the namespace itself. @throws StatusError 404 */
  find(name: string): ApiObject | Promise<ApiObject> {
    return this.#followed.get('', name) ?? this.#read(name);
  }

  async #read(name: string): Promise<ApiObject> {
    const found = await this.objects.read(NAMESPACES, '', name);
    if (!found) throw notFound(NAMESPACES, name);
    return found;
  }
}

const labelsOf = ({ metadata }: ApiObject): Labels => metadata?.labels ?? {};
