import { parseStoredJson } from '@orch/codec';
import { type CustomSettings, type CustomVersion, customVersions } from '@orch/kinds';
import { type ApiObject, formatApiVersion, type JsonObject, memberOf } from '@orch/machinery';
import { atOnce, deprecationWarning, type Scheme, type Steps } from '@orch/schema';
import type { TypeId } from '@orch/storage';
import type { Describe } from '@orch/watchcache';
import { type ConversionCalls, ConversionWebhook, type NamedWebhook } from '../conversion/conversion-webhook.js';
import { VersionStage } from '../conversion/version-stage.js';
import { withoutOwners } from '../stored/stored-body.js';
import { type Defaulting, StoredForm } from '../stored/stored-form.js';
import { CONVERTED_BEFORE, CustomConversions } from './custom-conversions.js';
import type { BeginCreation, Endpoint } from './endpoint.js';
import { fieldManagersOf, managedVersions } from './field-managers.js';
import { StructuralModel } from './structural-model.js';

/** Dependencies of the endpoints of custom kinds besides their definitions. */
interface CustomParts {
  readonly scheme: Scheme;
  readonly settings: CustomSettings;
  /** Type that the objects are stored under. */
  readonly type: TypeId;
  /** Called before an object is created, and may refuse it. Default: no check. */
  readonly beginCreation?: BeginCreation;
  /** Dependencies of conversion webhooks. */
  readonly conversions: ConversionCalls;
  /**
   * Attributes of the type's objects, shared by all that was created for earlier definitions, so that these use the
   * newest one.
   */
  readonly described?: Described;
}

/** Attributes for selectors, by the newest definition. */
export interface Described {
  /** Reads labels and selectable fields by the newest definition; replaced when the definition changes. */
  describe: Describe;
}

/** Endpoints of a definition. */
interface CustomEndpoints {
  /** An endpoint for each served version. */
  readonly endpoints: readonly Endpoint[];
  /** Endpoint in the storage version, whether that is served or not. */
  readonly storage: Endpoint;
}

/**
 * Creates the endpoints of a custom kind. Objects are validated in the version that clients send, and stored in one of
 * them.
 * @param definition a valid CustomResourceDefinition with accepted names
 * @throws Error for a definition without a storage version
 */
export function customEndpoints(definition: JsonObject, parts: CustomParts): CustomEndpoints {
  const { scheme, settings, type, beginCreation, described = { describe } } = parts;
  const meta = { objectMeta: scheme.struct('meta/v1.ObjectMeta'), listMeta: scheme.struct('meta/v1.ListMeta') };
  const versions = customVersions(definition, scheme.names, settings);
  const known = versions.map((version) => ({ version, model: new StructuralModel(version, meta) }));
  const models = new Map(known.map(({ model }) => [model.version, model]));
  const webhook = conversionWebhookOf(definition, parts);
  const plain = new CustomConversions(models);
  const managed = managedVersions(
    known.map(({ version: { rules }, model }) => ({ model, resetFields: rules.resetFields })),
  );
  const selectable = versions.filter(({ rules }) => rules.selectableFieldNames.length > 0);
  const make = ({ definition: served, rules }: CustomVersion, model: StructuralModel): Endpoint => {
    const apiVersion = formatApiVersion(served);
    const conversions = webhook ? CONVERTED_BEFORE : plain;
    const form = new StoredForm(conversions, served, served.storage.version, defaultingBy(models));
    const stage = webhook && new VersionStage({ served, form, models, webhook });
    return {
      definition: served,
      groupResource: { group: served.group, resource: served.resource },
      apiVersion,
      storage: served,
      storageApiVersion: apiVersion,
      form,
      conversion: undefined,
      deprecation: deprecationWarning(served),
      type,
      rules,
      storageRules: rules,
      model,
      storageModel: model,
      fieldManagers: fieldManagersOf(model, managed, (object, to) =>
        stage ? stage.whole(object, to) : plain.whole(object, to),
      ),
      description: { describe: (row) => described.describe(row) },
      ...(stage && { stage }),
      ...(beginCreation && { beginCreation }),
    };
  };
  const made = known.map(({ version, model }) => ({ isServed: version.isServed, endpoint: make(version, model) }));
  const storage = made.find(({ endpoint: { definition: each } }) => each.version === each.storage.version)?.endpoint;
  if (!storage) throw new Error('a definition stores no version');
  if (selectable.length > 0) described.describe = describer(selectable, storage.form);
  else described.describe = describe;
  return { endpoints: made.filter(({ isServed }) => isServed).map(({ endpoint }) => endpoint), storage };
}

/** Returns the conversion webhook; undefined if the versions differ only in their names. */
function conversionWebhookOf(
  definition: JsonObject,
  { scheme, conversions }: CustomParts,
): ConversionWebhook | undefined {
  const { conversion } = memberOf(definition, 'spec') as {
    conversion?: { strategy?: string; webhook?: NamedWebhook };
  };
  if (conversion?.strategy !== 'Webhook' || !conversion.webhook) return undefined;
  const { name } = memberOf(definition, 'metadata') as { name: string };
  const group = scheme.names.group('apiextensions.orch.io');
  return new ConversionWebhook(name, group, conversion.webhook, conversions);
}

/**
 * Creates the defaulting of a kind: prunes an object to the schema of its version and fills in the defaults of that
 * version.
 */
function defaultingBy(models: ReadonlyMap<string, StructuralModel>): Defaulting {
  function* fillInSteps(version: string, object: ApiObject): Steps<void> {
    const model = models.get(version);
    if (!model) return;
    yield* model.fit(object);
    yield* model.fillDefaults(object);
  }
  return {
    numberOf: (version) => models.get(version)?.number,
    fill: (version, object) => atOnce(fillInSteps(version, object)),
    fillInSteps,
  };
}

/**
 * Describes the fields that any version declares selectable: versions without conversion have the same fields at the
 * same places, and share the attributes of a body.
 */
function describer(versions: readonly CustomVersion[], form: StoredForm): Describe {
  return (row) => {
    const object = parseStoredJson(withoutOwners(row.body)) as ApiObject;
    form.fill(row, object);
    const { labels, fields } = attributesOf(object);
    return { labels, fields: Object.assign(fields, ...versions.map(({ rules }) => rules.selectableFields(object))) };
  };
}

/** Reads labels, name and namespace, the only attributes for selectors unless the definition declares more. */
export const describe: Describe = ({ body }) => attributesOf(parseStoredJson(withoutOwners(body)) as ApiObject);

function attributesOf({ metadata }: ApiObject) {
  const { name = '', namespace = '', labels = {} } = metadata ?? {};
  return { labels, fields: { 'metadata.name': name, ...(namespace !== '' && { 'metadata.namespace': namespace }) } };
}
