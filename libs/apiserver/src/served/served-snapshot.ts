import type { ResourceDescription } from '@orch/schema';
import type { TypeId } from '@orch/storage';
import type { Endpoint } from './endpoint.js';

/** What documents tell of an endpoint; undefined for nothing. */
export type Told = (endpoint: Endpoint) => ResourceDescription | undefined;

/** All that is served at one time. It never changes: a request keeps the one that it began with. */
export class ServedSnapshot {
  readonly #byPath = new Map<string, Endpoint>();

  /**
   * @param generation counts the snapshots of a process, from 1
   * @param endpoints one for each served group, version and resource
   * @param told what documents tell of an endpoint; undefined for nothing
   */
  constructor(
    readonly generation: number,
    readonly endpoints: readonly Endpoint[],
    readonly told: Told = ({ definition }) => definition,
  ) {
    for (const endpoint of endpoints) this.#byPath.set(pathOf(endpoint.definition), endpoint);
  }

  /** The endpoint of a group, version and resource, all as URLs name them; undefined for what is not served. */
  find(group: string, version: string, resource: string): Endpoint | undefined {
    return this.#byPath.get(pathOf({ group, version, resource }));
  }

  /** Some endpoint of a resource, whichever version it is of; undefined for what is not served. */
  ofResource(group: string, resource: string): Endpoint | undefined {
    return this.endpoints.find(({ definition }) => definition.group === group && definition.resource === resource);
  }

  /** Whether this very endpoint is served. */
  holds(endpoint: Endpoint): boolean {
    return this.#byPath.get(pathOf(endpoint.definition)) === endpoint;
  }

  /** One endpoint for each stored type, where there is one in the version that is stored. */
  get types(): readonly Endpoint[] {
    const byType = new Map<TypeId, Endpoint>();
    for (const endpoint of this.endpoints) {
      if (!endpoint.definition.stored) continue;
      if (isStored(endpoint.definition) || !byType.has(endpoint.type)) byType.set(endpoint.type, endpoint);
    }
    return [...byType.values()];
  }
}

/** Whether it is the resource and version that objects are stored as. */
const isStored = ({ group, version, resource, storage }: ResourceDescription): boolean =>
  group === storage.group && version === storage.version && resource === storage.resource;

const pathOf = ({ group, version, resource }: Pick<ResourceDescription, 'group' | 'version' | 'resource'>): string =>
  `${group}/${version}/${resource}`;
