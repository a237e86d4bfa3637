import { type FieldError, forbiddenField, invalidValue, required } from '@orch/machinery';
import { equal } from '../values/equal.js';
import { isObject, type Json, objectsAt, textAt } from '../values/fields.js';
import type { PatternCheck } from './pattern-check.js';
import { isThere, itemSchema, propertiesOf, propertyOf, says } from './schema-walk.js';

/** The parts of a schema that only test values: below `allOf`, `anyOf`, `oneOf` and `not`. */

const JUNCTORS = ['anyOf', 'allOf', 'oneOf'] as const;
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** Members that are forbidden there, with their messages. */
const NOT_THERE: Readonly<Record<string, string>> = {
  type: 'must be empty to be structural',
  additionalProperties: 'must be undefined to be structural',
  default: 'must be undefined to be structural',
  title: 'must be empty to be structural',
  description: 'must be empty to be structural',
  nullable: 'must be false to be structural',
  'x-kubernetes-preserve-unknown-fields': 'must be false to be structural',
  'x-kubernetes-embedded-resource': 'must be false to be structural',
  'x-kubernetes-int-or-string': 'must be false to be structural',
  'x-kubernetes-list-map-keys': 'must be empty to be structural',
  'x-kubernetes-list-type': 'must be undefined to be structural',
  'x-kubernetes-map-type': 'must be undefined to be structural',
  'x-kubernetes-validations': 'must be empty to be structural',
};

/** Members that are forbidden even with a zero value. */
const EVEN_ZERO = new Set(['additionalProperties', 'default']);

/** Returns whether alternatives mean "number or text", the exception to the rule that they have no types. */
const isIntOrString = (alternatives: unknown): boolean =>
  Array.isArray(alternatives) && alternatives.length === 2 && equal(alternatives, INT_OR_STRING);

/**
 * Checks the value validations of a structural schema and of all schemas in it; what they test must also be declared.
 */
export const validateValues = (schema: Json, path: string, patterns: PatternCheck): FieldError[] => [
  ...validateTests(schema, path, patterns),
  // Schemas below are exempt from this, as in the reference.
  ...validateComplete(schema, schema, path, path),
];

function validateTests(schema: Json, path: string, patterns: PatternCheck): FieldError[] {
  const items = itemSchema(schema);
  const others = schema.additionalProperties;
  return [
    ...validateJunctors(schema, path, patterns, {
      anyOf: isIntOrString(schema.anyOf),
      first: isIntOrString(objectsAt(schema, 'allOf')[0]?.anyOf),
    }),
    ...(items ? validateTests(items, `${path}.items`, patterns) : []),
    ...propertiesOf(schema).flatMap(([name, property]) =>
      validateTests(property, `${path}.properties[${name}]`, patterns),
    ),
    ...(isObject(others) ? validateTests(others, `${path}.additionalProperties`, patterns) : []),
  ];
}

/** Alternatives that mean "number or text" and may have types: those of the schema, and of the first of its `allOf`. */
interface Excepted {
  readonly anyOf: boolean;
  readonly first: boolean;
}
const NONE: Excepted = { anyOf: false, first: false };

function validateJunctors(schema: Json, path: string, patterns: PatternCheck, excepted: Excepted): FieldError[] {
  const wrong = patterns.faultOf(textAt(schema, 'pattern'));
  const text = `must be a valid regular expression, but isn't: ${wrong}`;
  const { not } = schema;
  return [
    ...JUNCTORS.flatMap((name) =>
      name === 'anyOf' && excepted.anyOf
        ? []
        : objectsAt(schema, name).flatMap((clause, index) =>
            validateClause(clause, `${path}.${name}[${index}]`, patterns, {
              ...NONE,
              anyOf: name === 'allOf' && excepted.first && index === 0,
            }),
          ),
    ),
    ...(isObject(not) ? validateClause(not, `${path}.not`, patterns) : []),
    ...(wrong === undefined ? [] : [invalidValue(`${path}.pattern`, textAt(schema, 'pattern'), text)]),
  ];
}

function validateClause(clause: Json, path: string, patterns: PatternCheck, excepted = NONE): FieldError[] {
  const items = itemSchema(clause);
  return [
    ...validateJunctors(clause, path, patterns, excepted),
    ...(items ? validateClause(items, `${path}.items`, patterns) : []),
    ...propertiesOf(clause).flatMap(([name, property]) =>
      validateClause(property, `${path}.properties[${name}]`, patterns),
    ),
    ...Object.entries(NOT_THERE)
      .filter(([name]) => (EVEN_ZERO.has(name) ? isThere(clause[name]) : says(clause[name])))
      .map(([name, text]) => forbiddenField(`${path}.${name}`, text)),
    // Restrictions of metadata here would bypass the rules for them.
    ...(propertyOf(clause, 'metadata')
      ? [forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context')]
      : []),
  ];
}

/** Checks that tested members are declared: `structural` is the schema outside of the tests for what `clause` tests. */
function validateComplete(clause: Json, structural: Json, sPath: string, vPath: string): FieldError[] {
  const { not } = clause;
  return [
    ...(isObject(not) ? validateTested(not, structural, sPath, `${vPath}.not`) : []),
    ...JUNCTORS.flatMap((name) =>
      objectsAt(clause, name).flatMap((each, index) =>
        validateTested(each, structural, sPath, `${vPath}.${name}[${index}]`),
      ),
    ),
  ];
}

function validateTested(clause: Json, structural: Json | undefined, sPath: string, vPath: string): FieldError[] {
  if (!structural) return [required(sPath, `because it is defined in ${vPath}`)];
  const items = itemSchema(clause);
  return [
    ...validateComplete(clause, structural, sPath, vPath),
    ...(items ? validateTested(items, itemSchema(structural), `${sPath}.items`, `${vPath}.items`) : []),
    ...propertiesOf(clause).flatMap(([name, property]) => {
      const member = `.properties[${name}]`;
      return validateTested(property, propertyOf(structural, name), `${sPath}${member}`, `${vPath}${member}`);
    }),
  ];
}
