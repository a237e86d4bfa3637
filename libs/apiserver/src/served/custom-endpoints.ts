import { parseStoredJson } from '@orch/codec';
import { type CustomSettings, type CustomVersion, customVersions } from '@orch/kinds';
import { type ApiObject, formatApiVersion, type JsonObject, memberOf } from '@orch/machinery';
import { atOnce, deprecationWarning, type Scheme } from '@orch/schema';
import type { TypeId } from '@orch/storage';
import type { Describe } from '@orch/watchcache';
import { withoutOwners } from '../representation/stored-body.js';
import { CustomConversions } from './custom-conversions.js';
import type { BeginCreation, Endpoint } from './endpoint.js';
import { fieldManagersOf, managedVersions } from './field-managers.js';
import { type Defaulting, StoredForm } from './stored-form.js';
import { StructuralModel } from './structural-model.js';

/** What endpoints of custom kinds are made with beside their definitions. */
export interface CustomParts {
  readonly scheme: Scheme;
  readonly settings: CustomSettings;
  /** Where the objects are. */
  readonly type: TypeId;
  /** Asked before an object is made. */
  readonly beginCreation?: BeginCreation;
}

/** What is served of a definition. */
export interface CustomEndpoints {
  /** One for each version that is served. */
  readonly endpoints: readonly Endpoint[];
  /** In the version that objects are stored in, whether it is served or not. */
  readonly storage: Endpoint;
}

/**
 * The endpoints of a custom kind. Objects are judged in the version that clients speak, and stored in one of them.
 * @param definition a valid CustomResourceDefinition, whose names have been decided on
 * @throws Error for one that stores no version
 */
export function customEndpoints(definition: JsonObject, parts: CustomParts): CustomEndpoints {
  const { scheme, settings, type, beginCreation } = parts;
  const meta = { objectMeta: scheme.struct('meta/v1.ObjectMeta'), listMeta: scheme.struct('meta/v1.ListMeta') };
  const versions = customVersions(definition, scheme.names, settings);
  const known = versions.map((version) => ({ version, model: new StructuralModel(version, meta) }));
  const models = new Map(known.map(({ model }) => [model.version, model]));
  const conversions = new CustomConversions(models, isConvertedByWebhook(definition));
  const managed = managedVersions(
    known.map(({ version: { rules }, model }) => ({ model, resetFields: rules.resetFields })),
  );
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
      description: { describe },
      ...(beginCreation && { beginCreation }),
    };
  };
  const made = known.map(({ version, model }) => ({ isServed: version.isServed, endpoint: make(version, model) }));
  const storage = made.find(({ endpoint: { definition: each } }) => each.version === each.storage.version)?.endpoint;
  if (!storage) throw new Error('a definition stores no version');
  return { endpoints: made.filter(({ isServed }) => isServed).map(({ endpoint }) => endpoint), storage };
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
const describe: Describe = ({ body }) => {
  const { metadata } = parseStoredJson(withoutOwners(body)) as ApiObject;
  const { name = '', namespace = '', labels = {} } = metadata ?? {};
  return { labels, fields: { 'metadata.name': name, ...(namespace !== '' && { 'metadata.namespace': namespace }) } };
};
