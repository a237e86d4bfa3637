import { parseStoredJson } from '@orch/codec';
import { type CustomSettings, type CustomVersion, customVersions } from '@orch/kinds';
import { type ApiObject, formatApiVersion, type JsonObject, memberOf } from '@orch/machinery';
import { atOnce, deprecationWarning, type Scheme } from '@orch/schema';
import type { TypeId } from '@orch/storage';
import type { Describe } from '@orch/watchcache';
import { withoutOwners } from '../representation/stored-body.js';
import { CustomConversions } from './custom-conversions.js';
import type { Endpoint } from './endpoint.js';
import { fieldManagersOf } from './field-managers.js';
import { type Defaulting, StoredForm } from './stored-form.js';
import { StructuralModel } from './structural-model.js';

/** What endpoints of custom kinds are made with beside their definitions. */
export interface CustomParts {
  readonly scheme: Scheme;
  readonly settings: CustomSettings;
  /** Where the objects are, of {@link customStorage}. */
  readonly type: TypeId;
}

/**
 * The name under which the objects of a definition are registered in the store. One that is made again after it was deleted has
 * another: it never sees objects of the one before.
 */
export function customStorage(definition: JsonObject): { group: string; resource: string } {
  const { metadata } = definition as ApiObject;
  const spec = memberOf(definition, 'spec') as { group: string; names: { plural: string } };
  return { group: spec.group, resource: `${spec.names.plural}/${metadata?.uid ?? ''}` };
}

/**
 * The endpoints of a custom kind, one for each version that is served. Objects are judged in the version that clients speak, and
 * stored in one of them.
 * @param definition a valid CustomResourceDefinition, whose names have been decided on
 */
export function customEndpoints(definition: JsonObject, { scheme, settings, type }: CustomParts): Endpoint[] {
  const meta = { objectMeta: scheme.struct('meta/v1.ObjectMeta'), listMeta: scheme.struct('meta/v1.ListMeta') };
  const versions = customVersions(definition, scheme.names, settings);
  const known = versions.map((version) => ({ version, model: new StructuralModel(version, meta) }));
  const models = new Map(known.map(({ model }) => [model.version, model]));
  const conversions = new CustomConversions(models, isConvertedByWebhook(definition));
  const managed = known.map(({ version: { rules }, model }) => ({ model, resetFields: rules.resetFields }));
  const make = ({ definition: served, rules }: CustomVersion, model: StructuralModel): Endpoint => {
    const apiVersion = formatApiVersion(served);
    return {
      definition: served,
      groupResource: { group: served.group, resource: served.resource },
      apiVersion,
      storage: served,
      storageApiVersion: apiVersion,
      form: new StoredForm(conversions, served, served.storage.version, defaultingBy(models)),
      conversion: undefined,
      deprecation: deprecationWarning(served),
      type,
      rules,
      storageRules: rules,
      model,
      storageModel: model,
      fieldManagers: fieldManagersOf(model, managed, conversions.whole),
      description: { describe: describer(served.namespaced) },
    };
  };
  return known.filter(({ version }) => version.isServed).map(({ version, model }) => make(version, model));
}

function isConvertedByWebhook(definition: JsonObject): boolean {
  const { conversion } = memberOf(definition, 'spec') as { conversion?: { strategy?: string } };
  return conversion?.strategy === 'Webhook';
}

/** What lies in a version is made to fit the schema of that version, and filled in by it. */
function defaultingBy(models: ReadonlyMap<string, StructuralModel>): Defaulting {
  return {
    numberOf: (version) => models.get(version)?.number,
    fill(version, object) {
      const model = models.get(version);
      if (!model) return;
      atOnce(model.fit(object));
      atOnce(model.fillDefaults(object));
    },
  };
}

/** Labels, names and namespaces are all that these objects are selected by. */
const describer =
  (namespaced: boolean): Describe =>
  ({ body }) => {
    const { metadata } = parseStoredJson(withoutOwners(body)) as ApiObject;
    const { name = '', namespace = '', labels = {} } = metadata ?? {};
    return { labels, fields: { 'metadata.name': name, ...(namespaced && { 'metadata.namespace': namespace }) } };
  };
