import { parseStoredJson } from '@orch/codec';
import { type KindRules, kindRules } from '@orch/kinds';
import type { ApiObject, Names } from '@orch/machinery';
import type { ResourceDefinition, Scheme } from '@orch/schema';
import type { Store, TypeId } from '@orch/storage';
import type { Describe } from '@orch/watchcache';
import { type Endpoint, makeEndpoint, UNSTORED } from './endpoint.js';

const storageKey = ({ storage }: ResourceDefinition) => `${storage.group}/${storage.resource}`;

/**
 * Endpoints for everything that is served, with the types of what is stored registered in the store. Resources that share storage
 * (the two `events`, the versions of one kind) share the type.
 */
export async function buildEndpoints(
  served: readonly ResourceDefinition[],
  scheme: Scheme,
  store: Store,
  names: Names,
): Promise<readonly Endpoint[]> {
  const stored = served.filter((definition) => definition.stored);
  const resources = new Map<string, { group: string; resource: string }>();
  for (const definition of stored) resources.set(storageKey(definition), definition.storage);
  const ids = await store.registerTypes([...resources.values()].map(({ group, resource }) => ({ group, resource })));
  const types = new Map([...resources.keys()].map((key, at): [string, TypeId] => [key, ids[at] as TypeId]));
  return served.map((definition) => {
    const storage = storageDefinition(definition, scheme);
    const rules = kindRules(storage, names);
    const type = definition.stored ? (types.get(storageKey(definition)) as TypeId) : UNSTORED;
    const description = { describe: describer(storage, rules) };
    return makeEndpoint(definition, storage, type, names, description);
  });
}

function storageDefinition(definition: ResourceDefinition, scheme: Scheme): ResourceDefinition {
  const { group, version, resource } = definition.storage;
  const found = scheme.resource(group, version, resource);
  if (!found) throw new Error(`${definition.resource}.${definition.group} is stored in an unknown version`);
  return found;
}

/** Reads labels and selectable fields of a stored body. */
function describer(storage: ResourceDefinition, rules: KindRules): Describe {
  return ({ body }) => {
    const object = parseStoredJson(body) as ApiObject;
    const { name = '', namespace = '', labels = {} } = object.metadata ?? {};
    const common = { 'metadata.name': name, ...(storage.namespaced && { 'metadata.namespace': namespace }) };
    return { labels, fields: { ...common, ...rules.selectableFields(object) } };
  };
}
