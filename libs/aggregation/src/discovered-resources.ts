import type { JsonObject } from '@orch/machinery';
import type { APIResourceDiscovery, APISubresourceDiscovery } from '@orch/schema/types/apidiscovery/v2beta1';

/** Resources of a server's group-versions, by `<group>/<version>`. */
export type DiscoveredResources = ReadonlyMap<string, readonly APIResourceDiscovery[]>;

/** Most entries of one document: a larger one could not be served, and would be sent to every client of discovery. */
const MAX_TOLD = 10_000;

/** Lists of a document, counted together. */
class Told {
  #left = MAX_TOLD;

  /** Returns the entries of a list that are objects. @throws Error where the document has too many entries */
  objects(list: unknown): JsonObject[] {
    if (!Array.isArray(list)) return [];
    this.#left -= list.length;
    if (this.#left < 0) throw new Error(`it tells of more than ${MAX_TOLD} groups, versions and resources`);
    return list.filter(isObject);
  }
}

/**
 * Reads an `APIGroupDiscoveryList` of another server; values of an unexpected type are left out.
 * @throws Error for a document that is no such list, or has too many entries
 */
export function readGroupDiscovery(document: unknown): DiscoveredResources {
  const told = new Map<string, readonly APIResourceDiscovery[]>();
  if (!isObject(document) || !Array.isArray(document.items)) throw new Error('it tells no list of groups');
  const lists = new Told();
  for (const group of lists.objects(document.items)) {
    const name = text(isObject(group.metadata) ? group.metadata.name : undefined);
    for (const version of lists.objects(group.versions)) {
      const resources = lists.objects(version.resources).map((resource) => resourceOf(resource, lists));
      told.set(`${name}/${text(version.version)}`, resources);
    }
  }
  return told;
}

function resourceOf(resource: JsonObject, lists: Told): APIResourceDiscovery {
  const subresources = lists.objects(resource.subresources).map((each) => subresourceOf(each, lists));
  return {
    resource: text(resource.resource),
    responseKind: kindOf(resource.responseKind),
    scope: resource.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: text(resource.singularResource),
    verbs: texts(resource.verbs),
    ...some('shortNames', texts(resource.shortNames)),
    ...some('categories', texts(resource.categories)),
    ...some('subresources', subresources),
  };
}

const subresourceOf = (subresource: JsonObject, lists: Told): APISubresourceDiscovery => ({
  subresource: text(subresource.subresource),
  responseKind: kindOf(subresource.responseKind),
  ...some('acceptedTypes', lists.objects(subresource.acceptedTypes).map(kindOf)),
  verbs: texts(subresource.verbs),
});

/**
 * Reads an `APIResourceList`, as servers send it that do not support aggregated discovery.
 * @throws Error for a document that is no such list, or has too many entries
 */
export function readResourceList(document: unknown): readonly APIResourceDiscovery[] {
  if (!isObject(document) || !Array.isArray(document.resources)) throw new Error('it tells no list of resources');
  const [group = '', version = ''] = groupVersionOf(text(document.groupVersion));
  const found = new Map<string, APIResourceDiscovery & { subresources?: APISubresourceDiscovery[] }>();
  const entries = new Told().objects(document.resources);
  const responseKind = (entry: JsonObject) => ({
    group: text(entry.group) || group,
    version: text(entry.version) || version,
    kind: text(entry.kind),
  });
  for (const entry of entries) {
    const name = text(entry.name);
    if (name.includes('/')) continue;
    found.set(name, {
      resource: name,
      responseKind: responseKind(entry),
      scope: entry.namespaced === true ? 'Namespaced' : 'Cluster',
      singularResource: text(entry.singularName),
      verbs: texts(entry.verbs),
      ...some('shortNames', texts(entry.shortNames)),
      ...some('categories', texts(entry.categories)),
    });
  }
  for (const entry of entries) {
    const [name = '', subresource] = text(entry.name).split('/');
    const parent = found.get(name);
    if (!parent || subresource === undefined) continue;
    parent.subresources ??= [];
    parent.subresources.push({ subresource, responseKind: responseKind(entry), verbs: texts(entry.verbs) });
  }
  return [...found.values()];
}

function groupVersionOf(apiVersion: string): string[] {
  const parts = apiVersion.split('/');
  return parts.length === 2 ? parts : ['', apiVersion];
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
/** Clients of some releases cannot do without it. */
const kindOf = (value: unknown) => {
  const { group, version, kind } = isObject(value) ? value : {};
  return { group: text(group), version: text(version), kind: text(kind) };
};
const some = <T>(name: string, values: readonly T[]) => (values.length > 0 ? { [name]: values } : {});
