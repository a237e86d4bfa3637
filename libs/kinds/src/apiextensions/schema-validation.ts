import { type FieldError, forbiddenField, invalidValue, VerbatimValue } from '@orch/machinery';
import { isObject, type Json, textAt } from '../values/fields.js';
import { unknownInDefaults, wrongDefaults } from './default-validation.js';
import { Expressions } from './expressions.js';
import { listStrictness } from './list-validation.js';
import { hasKnownType, type OpenApiStrictness, validateOpenApi } from './open-api-validation.js';
import { hasSchema, says } from './schema-walk.js';
import { unstructured, validateLevels } from './structural-validation.js';
import { validateValues } from './value-validation.js';

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
  /** What patterns match defaults with. */
  readonly expressions: Expressions;
  /** Whether defaults must be free of fields that would be pruned. Takes as long as to look into the stored schemas. */
  prunesDefaults(): boolean;
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
    expressions: new Expressions(),
    structural: !preserves || extended || olds.every(isStructural),
    prunesDefaults: () => olds.every((schema) => unknownInDefaults(schema, '').length === 0),
  };
}

const isStructural = (schema: Json): boolean =>
  unstructured(schema) === undefined &&
  [validateLevels, validateValues].every((check) => check(schema, '').length === 0);

const isExtended = (schema: Json): boolean =>
  (schema.default !== undefined && schema.default !== null) ||
  Object.entries(schema).some(
    ([name, value]) => name.startsWith('x-kubernetes-') && name !== 'x-kubernetes-map-type' && says(value),
  );

/** The schema of a version, in steps. `path` is that of `openAPIV3Schema`. */
export function* validateSchema(
  schema: Json,
  path: string,
  hasStatus: boolean,
  strict: SchemaStrictness,
): Iterable<FieldError[]> {
  let found = 0;
  const steps = [
    () => [...(hasStatus ? validateRoot(schema, path) : []), ...refuseNullable(schema, path)],
    ...(strict.structural && unstructured(schema) === undefined ? shapeSteps(schema, path, strict) : []),
    () => validateOpenApi(schema, path, strict),
  ];
  for (const step of steps) {
    const errors = step();
    found += errors.length;
    yield errors;
  }
  const reason = strict.structural ? unstructured(schema) : undefined;
  // What cannot be read is mostly refused for the same reason already.
  if (found === 0 && reason !== undefined) yield [invalidValue(path, '', reason)];
}

const refuseNullable = (schema: Json, path: string): FieldError[] =>
  schema.nullable === true ? [forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root')] : [];

/** Defaults are looked at when the shape is right. */
function shapeSteps(schema: Json, path: string, strict: SchemaStrictness): (() => FieldError[])[] {
  let found = 0;
  const counted = (check: typeof validateLevels) => () => {
    const errors = check(schema, path);
    found += errors.length;
    return errors;
  };
  const defaults = () => {
    if (found > 0) return [];
    const unknown = unknownInDefaults(schema, path);
    return [
      ...(unknown.length > 0 && strict.prunesDefaults() ? unknown : []),
      ...wrongDefaults(schema, path, strict.expressions),
    ];
  };
  return [counted(validateLevels), counted(validateValues), defaults];
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
