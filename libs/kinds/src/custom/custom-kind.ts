import type { JsonObject, Names } from '@orch/machinery';
import { compileSchema, type ResourceDescription, type SchemaPool, type StructuralSchema } from '@orch/schema';
import type { KindRules } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { at, isObject, type Json, objectsAt } from '../values/fields.js';
import { type CommonParts, commonParts, customResource } from './definition.js';
import { PathReading } from './json-path/index.js';
import { type PrinterColumn, type PrinterColumns, printerColumns } from './printer-columns.js';
import { customRules } from './rules.js';
import { CustomScale } from './scale.js';
import { selectableFields } from './selectable-fields.js';
import { CustomValidator } from './validator.js';

/** A version of a custom kind: what is served of it, the form of its objects, and the rules that these obey. */
export interface CustomVersion {
  /** The resource that is served: names, verbs, subresources, columns. */
  readonly definition: ResourceDescription;
  /** Read when it is first asked for: a definition that nobody uses costs its text only. */
  readonly schema: () => StructuralSchema;
  /** The schema as it was written, for people to read; undefined where the version declares none. */
  readonly declared: JsonObject | undefined;
  /** Whether clients may speak of objects in it. */
  readonly isServed: boolean;
  /** Objects keep what the schema does not know, as definitions of old can ask for. */
  readonly preservesUnknown: boolean;
  /** The rules that objects obey, as those of built-in kinds do. */
  readonly rules: KindRules;
}

/** Settings that versions are made with. */
export interface CustomSettings extends KindSettings {
  /** Where schemas of all definitions are, equal ones once. */
  readonly pool: SchemaPool;
}

/**
 * The versions of a custom kind, those that are not served as well: objects may lie in them, and owners of fields speak of them.
 * @param definition a valid CustomResourceDefinition, whose names have been decided on
 * @param settings what the installation decides of its kinds
 */
export function customVersions(definition: JsonObject, names: Names, settings: CustomSettings): CustomVersion[] {
  const common = commonParts(definition);
  const reading = new PathReading();
  return objectsAt(definition, 'spec', 'versions').map((version) => {
    const printed = printerColumns(
      objectsAt(version, 'additionalPrinterColumns') as unknown as PrinterColumn[],
      reading,
    );
    return customVersion(common, version, printed, names, settings);
  });
}

/** Without a schema, nothing is known of objects but their type and metadata. */
const NO_SCHEMA: Json = { type: 'object' };

function customVersion(
  common: CommonParts,
  version: Json,
  printed: PrinterColumns,
  names: Names,
  settings: CustomSettings,
): CustomVersion {
  const declared = at(version, 'schema', 'openAPIV3Schema');
  let read: StructuralSchema | undefined;
  const schema = () => {
    read ??= compileSchema(settings.pool.of(isObject(declared) ? declared : NO_SCHEMA));
    return read;
  };
  const scaled = at(version, 'subresources', 'scale');
  const scale = isObject(scaled) ? new CustomScale(scaled) : undefined;
  const selectable = settings.features.enabled('CustomResourceFieldSelectors') ? selectableFields(version) : {};
  const resource = customResource(common, version, printed.columns, names);
  const validator = new CustomValidator(
    schema,
    scale,
    settings.features.enabled('CustomResourceValidationExpressions'),
    settings.features.enabled('CRDValidationRatcheting'),
  );
  return {
    definition: resource,
    schema,
    declared: isObject(declared) ? (declared as JsonObject) : undefined,
    isServed: version.served === true,
    preservesUnknown: at(common.definition, 'spec', 'preserveUnknownFields') === true,
    rules: customRules(resource, { validator, printed, scale, selectable }, names, settings),
  };
}
