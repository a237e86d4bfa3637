import { parseStoredJson } from '@orch/codec';
import { ConversionError, conversionsOf, type KindRules, type KindSettings, kindRules } from '@orch/kinds';
import type { ApiObject } from '@orch/machinery';
import { opaqueFields, type ResourceDefinition, type Scheme } from '@orch/schema';
import type { Store, TypeId } from '@orch/storage';
import type { Describe } from '@orch/watchcache';
import { withoutOwners } from '../stored/stored-body.js';
import { StoredForm } from '../stored/stored-form.js';
import { defaultingOf } from './defaulting.js';
import { type Endpoint, makeEndpoint, UNSTORED } from './endpoint.js';
import { checkStorageVersions, storageVersionOf } from './storage-versions.js';

const storageKey = ({ storage }: ResourceDefinition) => `${storage.group}/${storage.resource}`;

const isStorage = ({ group, version, resource, storage }: ResourceDefinition) =>
  group === storage.group && version === storage.version && resource === storage.resource;

/**
 * Builds endpoints for everything that is served, and registers the stored types in the store. Resources that share
 * storage (the two `events`, the versions of one kind) share the type.
 * @param storageVersions versions that objects are written in, if not the declared one
 * @param settings the installation's settings of its kinds
 * @throws RangeError for a storage version that is not declared
 */
export async function buildEndpoints(
  served: readonly ResourceDefinition[],
  scheme: Scheme,
  store: Store,
  storageVersions: readonly string[],
  settings: KindSettings,
): Promise<readonly Endpoint[]> {
  checkStorageVersions(storageVersions, scheme.resources);
  const { names } = scheme;
  const conversions = conversionsOf(scheme);
  const stored = served.filter((definition) => definition.stored);
  const resources = new Map<string, { group: string; resource: string }>();
  for (const definition of stored) resources.set(storageKey(definition), definition.storage);
  const ids = await store.registerTypes([...resources.values()].map(({ group, resource }) => ({ group, resource })));
  const types = new Map([...resources.keys()].map((key, at): [string, TypeId] => [key, ids[at] as TypeId]));
  return served.map((definition) => {
    const storage = storageDefinition(definition, scheme);
    const rules = kindRules(storage, names, settings);
    const type = definition.stored ? (types.get(storageKey(definition)) as TypeId) : UNSTORED;
    const form = new StoredForm(
      conversions,
      storage,
      storageVersionOf(storage, storageVersions, conversions),
      defaultingOf(storage, scheme, settings),
      opaqueFields(storage.schema),
    );
    const description = { describe: describer(storage, rules, form) };
    const versions = scheme.resources.filter((other) => storageKey(other) === storageKey(definition));
    return makeEndpoint(definition, storage, type, { names, settings, description, form, conversions, versions });
  });
}

/**
 * Returns definitions of types that are stored and not served, in the storage version: their objects may be left from
 * before they were switched off, or come from a server with another configuration.
 */
export function notServed(served: readonly ResourceDefinition[], { resources }: Scheme): ResourceDefinition[] {
  const known = new Set(served.filter(({ stored }) => stored).map(storageKey));
  return resources.filter((each) => each.stored && isStorage(each) && !known.has(storageKey(each)));
}

function storageDefinition(definition: ResourceDefinition, scheme: Scheme): ResourceDefinition {
  const { group, version, resource } = definition.storage;
  const found = scheme.resource(group, version, resource);
  if (!found) throw new Error(`${definition.resource}.${definition.group} is stored in an unknown version`);
  return found;
}

/** Reads labels and selectable fields of a stored body. */
function describer(storage: ResourceDefinition, rules: KindRules, form: StoredForm): Describe {
  return (row) => {
    const object = parseStoredJson(withoutOwners(row.body)) as ApiObject;
    form.fill(row, object);
    const { name = '', namespace = '', labels = {} } = object.metadata ?? {};
    const common = { 'metadata.name': name, ...(storage.namespaced && { 'metadata.namespace': namespace }) };
    return { labels, fields: { ...common, ...selectableFields(object, form.versionOf(row), rules, form) } };
  };
}

/** Returns the selectable fields; none for an unknown version, which is reported when the object itself is read. */
function selectableFields(
  object: ApiObject,
  version: string,
  rules: KindRules,
  form: StoredForm,
): Record<string, string> {
  if (rules.selectableFieldNames.length === 0) return {};
  try {
    return rules.selectableFields(form.toHub(version)?.(object) ?? object);
  } catch (error) {
    if (error instanceof ConversionError) return {};
    throw error;
  }
}
