import { BASE_ENVIRONMENT, type Environment, LATER_ENVIRONMENT, RuleRun, ruleErrors } from '@orch/expressions';
import { type FieldError, forbiddenField, invalidValue, VerbatimValue } from '@orch/machinery';
import { Effort, SchemaPool } from '@orch/schema';
import { type Json, objectsAt, textAt } from '../values/fields.js';
import {
  brokenRules,
  type Default,
  type DefaultBounds,
  defaultsOf,
  faultsOf,
  unknownIn,
} from './default-validation.js';
import { listStrictness } from './list-validation.js';
import { hasKnownType, type OpenApiStrictness, validateOpenApi } from './open-api-validation.js';
import { PatternCheck } from './pattern-check.js';
import { allSchemas, asEmbedded, hasDefault, hasRules, hasSchema, says } from './schema-walk.js';
import { unstructured, validateLevels } from './structural-validation.js';
import { validateValues } from './value-validation.js';

/** Members that the root of a schema may have with a `status` subresource, by their names in messages. */
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

/**
 * Cost units of rules for all defaults of a definition. An object may use ten times as many, but small definitions are
 * checked without a break.
 */
const MOST_UNITS = 1_000_000;

/** Rules for schemas; relaxed for stored definitions that violate them. */
interface SchemaStrictness extends OpenApiStrictness, DefaultBounds {
  readonly structural: boolean;
  /** Compiles the patterns of all schemas of the definition. */
  readonly patterns: PatternCheck;
  /**
   * Returns whether defaults must not have fields that would be pruned. Takes as long as a pass over the stored
   * schemas.
   */
  prunesDefaults(): boolean;
  /** Returns the environment of an expression, by its text. */
  environmentOf(expression: string): Environment;
}

/**
 * Returns the rules for the schemas of a definition.
 * @param olds schemas of the stored definition; empty for a new one
 * @param later whether new expressions may use features newer than release 1.27
 */
export function schemaStrictness(
  schemas: readonly Json[],
  olds: readonly Json[],
  preserves: boolean,
  later: boolean,
): SchemaStrictness {
  const extended = schemas.some((schema) => hasSchema(schema, isExtended));
  return {
    ...listStrictness(olds),
    knownTypes: olds.every((schema) => !hasSchema(schema, (each) => !hasKnownType(each))),
    pool: new SchemaPool(),
    effort: Effort.inAll(),
    rules: new RuleRun(MOST_UNITS),
    patterns: new PatternCheck(olds),
    structural: !preserves || extended || olds.every(isStructural),
    prunesDefaults: () => olds.every(isFreeOfUnknown),
    environmentOf: later ? () => LATER_ENVIRONMENT : storedEnvironments(olds),
  };
}

/** Returns the environments of expressions: stored ones may use all features, new ones those of release 1.27. */
function storedEnvironments(olds: readonly Json[]): (expression: string) => Environment {
  let stored: Set<string> | undefined;
  return (expression) => {
    stored ??= new Set(olds.flatMap((schema) => [...allSchemas(schema)].flatMap(expressionsOf)));
    return stored.has(expression) ? LATER_ENVIRONMENT : BASE_ENVIRONMENT;
  };
}

const expressionsOf = (schema: Json): string[] =>
  objectsAt(schema, 'x-kubernetes-validations').flatMap((rule) => [
    textAt(rule, 'rule'),
    textAt(rule, 'messageExpression'),
  ]);

function isFreeOfUnknown(schema: Json): boolean {
  for (const each of defaultsOf(asEmbedded(schema), '')) if (unknownIn(each).length > 0) return false;
  return true;
}

const isStructural = (schema: Json): boolean =>
  unstructured(schema) === undefined &&
  validateLevels(schema, '').length === 0 &&
  validateValues(schema, '', new PatternCheck([schema])).length === 0;

const isExtended = (schema: Json): boolean =>
  hasDefault(schema) ||
  Object.entries(schema).some(
    ([name, value]) => name.startsWith('x-kubernetes-') && name !== 'x-kubernetes-map-type' && says(value),
  );

/** Checks the schema of a version, in steps. `path` is that of `openAPIV3Schema`. */
export function* validateSchema(
  schema: Json,
  path: string,
  hasStatus: boolean,
  strict: SchemaStrictness,
): Iterable<FieldError[]> {
  let found = 0;
  for (const errors of stepsOf(schema, path, hasStatus, strict)) {
    found += errors.length;
    yield errors;
  }
  const reason = strict.structural ? unstructured(schema) : undefined;
  // A schema that cannot be read has mostly been refused for the same reason.
  if (found === 0 && reason !== undefined) yield [invalidValue(path, '', reason)];
}

const refuseNullable = (schema: Json, path: string): FieldError[] =>
  schema.nullable === true ? [forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root')] : [];

function* stepsOf(schema: Json, path: string, hasStatus: boolean, strict: SchemaStrictness): Iterable<FieldError[]> {
  yield [...(hasStatus ? validateRoot(schema, path) : []), ...refuseNullable(schema, path)];
  const isStructured = strict.structural && unstructured(schema) === undefined;
  const isSound = isStructured && (yield* shapeSteps(schema, path, strict));
  const spoilt = new Set<string>();
  yield* together(validateOpenApi(schema, path, strict, spoilt), (errors) => errors);
  // Errors of rules that result from a wrong schema would vanish once that is corrected.
  if (isSound && hasSchema(schema, hasRules))
    yield* ruleErrors(strict.pool.of(schema), path, {
      environmentOf: (expression) => strict.environmentOf(expression),
      skips: (each) => spoilt.has(each),
    });
}

/** Returns whether the schema must be compiled, for its default or its rules. */
const isRead = (schema: Json): boolean => hasDefault(schema) || hasRules(schema);

/** Returns whether there are no errors. Defaults are checked only if the shape is valid. */
function* shapeSteps(schema: Json, path: string, strict: SchemaStrictness): Generator<FieldError[], boolean> {
  const levels = validateLevels(schema, path);
  yield levels;
  for (const _ of strict.patterns.steps(schema)) yield [];
  const values = validateValues(schema, path, strict.patterns);
  yield values;
  if (levels.length + values.length > 0) return false;
  const root = asEmbedded(schema);
  if (hasSchema(schema, isRead)) for (const _ of strict.pool.steps(root)) yield [];
  const unknown: FieldError[] = [];
  for (const errors of together(defaultsOf(root, path), unknownIn)) {
    unknown.push(...errors);
    yield [];
  }
  const pruned = unknown.length > 0 && strict.prunesDefaults() ? unknown : [];
  yield pruned;
  let isSound = pruned.length === 0;
  for (const errors of defaultSteps(root, path, strict)) {
    if (errors.length > 0) isSound = false;
    yield errors;
  }
  return isSound;
}

function* defaultSteps(root: Json, path: string, strict: SchemaStrictness): Iterable<FieldError[]> {
  const sound: Default[] = [];
  yield* together(defaultsOf(root, path), (each) => {
    const errors = faultsOf(each, strict);
    if (errors.length === 0) sound.push(each);
    return errors;
  });
  if (sound.length > 0 && hasSchema(root, hasRules)) yield* brokenRules(root, sound, strict);
}

/** Number of schemas, or defaults, that are checked in one step. */
const AT_ONCE = 500;

function* together<T>(all: Iterable<T>, judge: (each: T) => FieldError[]): Iterable<FieldError[]> {
  let errors: FieldError[] = [];
  let count = 0;
  for (const each of all) {
    errors.push(...judge(each));
    if (++count % AT_ONCE > 0) continue;
    yield errors;
    errors = [];
  }
  yield errors;
}

/** Returns whether a member differs from an unset one: numbers, lists and structs are set unless they are null. */
const isSet = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'object' ? value !== null : says(value);

function validateRoot(schema: Json, path: string): FieldError[] {
  const type = textAt(schema, 'type');
  if (type !== '' && type !== 'object') {
    const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalidValue(`${path}.type`, type, text)];
  }
  if (Object.entries(schema).every(([name, value]) => Object.hasOwn(AT_ROOT, name) || !isSet(value))) return [];
  const known = Object.values(AT_ROOT).join(' ');
  const text = `only [${known}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalidValue(path, new VerbatimValue('apiextensions.JSONSchemaProps{...}'), text)];
}
