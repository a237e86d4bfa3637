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

/** A version of a custom kind: the served resource, the schema of its objects, and their rules. */
export interface CustomVersion {
  /** The served resource: names, verbs, subresources, columns. */
  readonly definition: ResourceDescription;
  /** Returns the schema, which is compiled when first needed: an unused definition costs only its text. */
  readonly schema: () => StructuralSchema;
  /** The schema as written, for documentation; undefined if the version declares none. */
  readonly declared: JsonObject | undefined;
  /** Whether clients may use the version. */
  readonly isServed: boolean;
  /** Whether objects keep unknown fields, as old definitions can request. */
  readonly preservesUnknown: boolean;
  /** Rules of the objects, as for built-in kinds. */
  readonly rules: KindRules;
}

/** Settings of custom kinds. */
export interface CustomSettings extends KindSettings {
  /** Pool of the schemas of all definitions, which stores equal ones once. */
  readonly pool: SchemaPool;
}

/**
 * Returns the versions of a custom kind, also those that are not served: objects may be stored in them, and managed
 * fields may refer to them.
 * @param definition a valid CustomResourceDefinition, whose names have been decided on
 * @param settings settings of the installation for its kinds
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

/** Schema of a version without one: only type and metadata of objects are known. */
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
