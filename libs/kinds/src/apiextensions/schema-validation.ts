import { type FieldError, forbiddenField, invalidValue, VerbatimValue } from '@orch/machinery';
import { isObject, type Json, textAt } from '../values/fields.js';
import { validateDefaults } from './default-validation.js';
import { listStrictness } from './list-validation.js';
import { hasKnownType, type OpenApiStrictness, validateOpenApi } from './open-api-validation.js';
import { hasSchema, says } from './schema-walk.js';
import { unstructured, validateStructural } from './structural-validation.js';

/** Members of a schema's root beside which `status` can be taken out of it, by the names that messages have for them. */
const AT_ROOT: Readonly<Record<string, string>> = {
  description: 'Description',
  type: 'Type',
  format: 'Format',
  title: 'Title',
  maximum: 'Maximum',
  exclusiveMaximum: 'ExclusiveMaximum',
  minimum: 'Minimum',
  exclusiveMinimum: 'ExclusiveMinimum',
  maxLength: 'MaxLength',
  minLength: 'MinLength',
  pattern: 'Pattern',
  maxItems: 'MaxItems',
  minItems: 'MinItems',
  uniqueItems: 'UniqueItems',
  multipleOf: 'MultipleOf',
  required: 'Required',
  items: 'Items',
  properties: 'Properties',
  externalDocs: 'ExternalDocs',
  example: 'Example',
  'x-kubernetes-preserve-unknown-fields': 'XPreserveUnknownFields',
  'x-kubernetes-validations': 'XValidations',
};

/** What is asked of schemas; less of those of a definition that was stored when less was asked. */
export interface SchemaStrictness extends OpenApiStrictness {
  readonly structural: boolean;
  readonly prunedDefaults: boolean;
}

/** @param olds the schemas of the stored definition; empty for a new one */
export function schemaStrictness(
  schemas: readonly Json[],
  olds: readonly Json[],
  preserves: boolean,
): SchemaStrictness {
  const extended = schemas.some((schema) => hasSchema(schema, isExtended));
  return {
    ...listStrictness(olds),
    knownTypes: olds.every((schema) => !hasSchema(schema, (each) => !hasKnownType(each))),
    structural: !preserves || extended || olds.every(isStructural),
    prunedDefaults: olds.every((schema) => validateDefaults(schema, '').length === 0),
  };
}

const isStructural = (schema: Json): boolean =>
  unstructured(schema) === undefined && validateStructural(schema, '').length === 0;

const isExtended = (schema: Json): boolean =>
  (schema.default !== undefined && schema.default !== null) ||
  Object.entries(schema).some(
    ([name, value]) => name.startsWith('x-kubernetes-') && name !== 'x-kubernetes-map-type' && says(value),
  );

/** The schema of a version. `path` is that of `openAPIV3Schema`. */
export function validateSchema(schema: Json, path: string, hasStatus: boolean, strict: SchemaStrictness): FieldError[] {
  const errors = [
    ...(hasStatus ? validateRoot(schema, path) : []),
    ...(schema.nullable === true ? [forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root')] : []),
  ];
  const reason = strict.structural ? unstructured(schema) : undefined;
  if (strict.structural && reason === undefined) errors.push(...validateShape(schema, path, strict));
  errors.push(...validateOpenApi(schema, path, strict));
  // What cannot be read is mostly refused for the same reason already.
  return errors.length > 0 || reason === undefined ? errors : [invalidValue(path, '', reason)];
}

function validateShape(schema: Json, path: string, { prunedDefaults }: SchemaStrictness): FieldError[] {
  const errors = validateStructural(schema, path);
  if (errors.length > 0) return errors;
  return prunedDefaults ? validateDefaults(schema, path) : [];
}

function validateRoot(schema: Json, path: string): FieldError[] {
  const type = textAt(schema, 'type');
  if (type !== '' && type !== 'object') {
    const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalidValue(`${path}.type`, type, text)];
  }
  const strange = Object.entries(schema).some(
    ([name, value]) => !Object.hasOwn(AT_ROOT, name) && (isObject(value) || says(value)),
  );
  if (!strange) return [];
  const known = Object.values(AT_ROOT).join(' ');
  const text = `only [${known}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalidValue(path, new VerbatimValue('apiextensions.JSONSchemaProps{...}'), text)];
}
