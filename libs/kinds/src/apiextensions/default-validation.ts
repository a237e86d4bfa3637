import { LATER_ENVIRONMENT, type RuleRun, RuleValidator } from '@orch/expressions';
import { copy, type FieldError, invalidValue, shownUntyped } from '@orch/machinery';
import {
  atOnce,
  compileSchema,
  Effort,
  embeddedErrors,
  prune,
  type SchemaPool,
  UnknownFields,
  validateValue,
} from '@orch/schema';
import type { Json } from '../values/fields.js';
import { isEmbedded, isThere, itemSchema, propertiesOf } from './schema-walk.js';

const META = ['apiVersion', 'kind', 'metadata'];

/** A default in a schema. */
export interface Default {
  /** The schema that holds it. */
  readonly schema: Json;
  /** The default itself. */
  readonly value: unknown;
  /** Path of the default itself. */
  readonly field: string;
  /** Within metadata or types: makes the object around a value. */
  readonly around: Around;
}

/** Shared state and limits of the checks of all defaults of one definition. */
export interface DefaultBounds {
  /** Pool that their schemas are compiled in. */
  readonly pool: SchemaPool;
  /** Effort left for comparisons and pattern matching. */
  readonly effort: Effort;
  /** Cost left for rules in CEL. */
  readonly rules: RuleRun;
}

/** Returns an error if a default has fields that would be pruned. */
export const unknownIn = ({ schema, value, field, around }: Default): FieldError[] =>
  // The schema does not prune the metadata of an object.
  around || isPruned(value, schema) ? [] : [invalidValue(field, shownUntyped(value), 'must not have unknown fields')];

/**
 * Checks a default against its schema, except for rules in CEL. The default of a whole object must have its type and
 * valid metadata, and so must objects that have a default within their metadata.
 */
export function faultsOf({ schema, value, field, around }: Default, { pool, effort }: DefaultBounds): FieldError[] {
  const compiled = compileSchema(pool.of(schema));
  const errors = around
    ? wrongMetadata(around(value), value, field, effort)
    : atOnce(embeddedErrors(compiled, value, field, effort));
  return errors.length > 0 ? errors : atOnce(validateValue(compiled, value, { base: field, effort, isDefault: true }));
}

/**
 * Finds the rules that defaults violate, in steps.
 * @param root schema of a whole object
 * @param defaults in it that are otherwise valid
 */
export function* brokenRules(
  root: Json,
  defaults: Iterable<Default>,
  { pool, rules: run }: DefaultBounds,
): Iterable<FieldError[]> {
  const rules = new RuleValidator(pool.of(root), true, LATER_ENVIRONMENT);
  const before = run.errors.length;
  for (const { schema, value, field } of defaults) {
    for (const _ of rules.steps(run, value, value, field, pool.of(schema))) yield [];
    if (run.exhausted) break;
  }
  yield run.errors.slice(before);
}

/** An object with a default in its metadata or for its type. */
interface Whole {
  readonly schema: Json;
  readonly value: Json;
}

function wrongMetadata({ schema, value: object }: Whole, value: unknown, field: string, effort: Effort): FieldError[] {
  const named = { apiVersion: 'validation/v1', kind: 'Validation', ...object };
  const errors = atOnce(embeddedErrors(compileSchema(schema), named, '', effort));
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  if (texts.length === 0) return [];
  return [
    invalidValue(
      field,
      shownUntyped(value),
      `must result in valid metadata: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    ),
  ];
}

/** Makes an object around a value; undefined outside of types and metadata. */
type Around = ((value: unknown) => Whole) | undefined;

/**
 * Yields the defaults in a structural schema.
 * @param outer makes the object around a value of the schema, within metadata
 */
export function* defaultsOf(schema: Json, path: string, outer?: Around): Iterable<Default> {
  const value = schema.default;
  const whole = isEmbedded(schema);
  const around = whole ? undefined : outer;
  const items = itemSchema(schema);
  if (isThere(value)) yield { schema, value, field: `${path}.default`, around };
  if (items) yield* defaultsOf(items, `${path}.items`, around && ((item) => around([item])));
  for (const [name, property] of propertiesOf(schema)) {
    const outside = aroundMember(whole ? schema : undefined, name, around);
    yield* defaultsOf(property, `${path}.properties[${name}]`, outside);
  }
}

/**
 * Returns how to make the object around a member.
 * @param schema of the whole object, if the member belongs to one directly
 */
function aroundMember(schema: Json | undefined, name: string, outer: Around): Around {
  if (schema) return META.includes(name) ? (value) => ({ schema, value: { [name]: value } }) : undefined;
  return outer && ((value) => outer({ [name]: value }));
}

/** Returns whether pruning by the schema leaves a value unchanged. */
function isPruned(value: unknown, schema: Json): boolean {
  const unknown = new UnknownFields();
  atOnce(prune(copy(value), compileSchema(schema), Effort.inSteps(), unknown, false));
  return unknown.paths.length === 0;
}
