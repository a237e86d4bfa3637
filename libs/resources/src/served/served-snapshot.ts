import type { ResourceDescription } from '@orch/schema';
import type { TypeId } from '@orch/storage';
import type { Endpoint } from './endpoint.js';

/** A served endpoint. */
export interface Serving {
  /** Endpoint that answers the requests. */
  readonly endpoint: Endpoint;
  /** Description of the endpoint in discovery and OpenAPI; undefined if it is left out of them. */
  readonly description: ResourceDescription | undefined;
}

/** Endpoints of a group, by version and resource. An unchanged group is the same object in the next snapshot. */
export type ServedGroup = ReadonlyMap<string, Serving>;

/**
 * Immutable set of the endpoints that are served at one time; a request keeps the one that it began with. The next
 * snapshot shares unchanged groups, as thousands of kinds may be added one after another.
 */
export class ServedSnapshot {
  #endpoints: readonly Endpoint[] | undefined;

  /**
   * @param generation counts the snapshots of a process, from 1
   * @param groups by name
   */
  private constructor(
    readonly generation: number,
    readonly groups: ReadonlyMap<string, ServedGroup>,
  ) {}

  /** Creates the first snapshot of a process. @param endpoints one for each served group, version and resource */
  static first(endpoints: readonly Endpoint[]): ServedSnapshot {
    return new ServedSnapshot(0, new Map()).with([], endpoints.map(fullyDescribed));
  }

  /** Creates the next snapshot. @param begun endpoints that are added, and those whose documentation changes */
  with(ended: readonly Endpoint[], begun: readonly Serving[]): ServedSnapshot {
    const groups = new Map(this.groups);
    const opened = new Map<string, Map<string, Serving>>();
    const open = (name: string): Map<string, Serving> => {
      const group = opened.get(name) ?? new Map(groups.get(name));
      opened.set(name, group);
      return group;
    };
    for (const serving of begun) {
      const { definition } = serving.endpoint;
      open(definition.group).set(pathOf(definition), serving);
    }
    const there = new Set(begun.map(({ endpoint }) => endpoint));
    for (const endpoint of ended) {
      const [group, path] = [open(endpoint.definition.group), pathOf(endpoint.definition)];
      if (group.get(path)?.endpoint === endpoint && !there.has(endpoint)) group.delete(path);
    }
    for (const [name, group] of opened) {
      if (group.size > 0) groups.set(name, group);
      else groups.delete(name);
    }
    return new ServedSnapshot(this.generation + 1, groups);
  }

  /** All endpoints, one for each served group, version and resource. */
  get endpoints(): readonly Endpoint[] {
    this.#endpoints ??= [...this.servings()].map(({ endpoint }) => endpoint);
    return this.#endpoints;
  }

  /** Iterates over all endpoints and their documentation, group by group. */
  *servings(): Generator<Serving> {
    for (const group of this.groups.values()) yield* group.values();
  }

  /** Finds the endpoint of a group, version and resource, as named in URLs; undefined if there is none. */
  find(group: string, version: string, resource: string): Endpoint | undefined {
    return this.groups.get(group)?.get(pathOf({ version, resource }))?.endpoint;
  }

  /** Finds an endpoint of a resource in any version; undefined if there is none. */
  ofResource(group: string, resource: string): Endpoint | undefined {
    for (const { endpoint } of this.groups.get(group)?.values() ?? []) {
      if (endpoint.definition.resource === resource) return endpoint;
    }
    return undefined;
  }

  /** Whether this very endpoint object is served. */
  holds(endpoint: Endpoint): boolean {
    const { group, version, resource } = endpoint.definition;
    return this.find(group, version, resource) === endpoint;
  }

  /** Endpoints of all stored types, one each, in the storage version if that is served. */
  get types(): readonly Endpoint[] {
    const byType = new Map<TypeId, Endpoint>();
    for (const endpoint of this.endpoints) {
      if (!endpoint.definition.stored) continue;
      if (isStored(endpoint.definition) || !byType.has(endpoint.type)) byType.set(endpoint.type, endpoint);
    }
    return [...byType.values()];
  }
}

/** Returns a fully documented endpoint. */
export const fullyDescribed = (endpoint: Endpoint): Serving => ({ endpoint, description: endpoint.definition });

/** Whether a description is of the resource and version that objects are stored as. */
const isStored = ({ group, version, resource, storage }: ResourceDescription): boolean =>
  group === storage.group && version === storage.version && resource === storage.resource;

const pathOf = ({ version, resource }: Pick<ResourceDescription, 'version' | 'resource'>): string =>
  `${version}/${resource}`;
