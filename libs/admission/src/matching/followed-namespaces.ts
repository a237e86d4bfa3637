import { type ApiObject, notFound } from '@orch/machinery';
import type { FollowedObjects, KnownObjects } from '../known-objects.js';
import { NAMESPACES } from '../plugins/namespaces/namespace-lookup.js';
import type { Labels } from './match.js';

/** The labels of namespaces, by which selectors choose requests. */
export class FollowedNamespaces {
  readonly #followed: FollowedObjects;

  constructor(private readonly objects: KnownObjects) {
    this.#followed = objects.follow(NAMESPACES);
  }

  /** Whether this process has written some since: what memory has may be their old labels. */
  get isBehind(): boolean {
    return this.#followed.isBehind;
  }

  /** Those that memory has; undefined for a namespace that it does not have. */
  known(name: string): Labels | undefined {
    const found = this.#followed.get('', name);
    return found && labelsOf(found);
  }

  /** The same, from the database where memory has none. @throws StatusError 404 */
  labels(name: string): Labels | Promise<Labels> {
    return this.known(name) ?? this.#read(name).then(labelsOf);
  }

  /** The namespace itself. @throws StatusError 404 */
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
