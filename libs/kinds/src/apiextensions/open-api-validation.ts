import { FieldPathError, fieldAt, type SchemaProps } from '@orch/expressions';
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import { isObject, type Json, objectsAt, textAt } from '../values/fields.js';
import { type ListStrictness, validateLists } from './list-validation.js';
import { childSchemas, isThere, says } from './schema-walk.js';

/** Which parts of JSON Schema a definition may use. */

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];
const META = ['metadata', 'kind', 'apiVersion'];

/** Context of a place in a schema, inherited by the schemas below it. */
interface Place {
  /** Why a default is forbidden; undefined if it is allowed. */
  readonly noDefault?: string;
  readonly insideMeta: boolean;
  readonly root: boolean;
}

/** Rules for the parts of JSON Schema; relaxed for stored definitions that violate them. */
export interface OpenApiStrictness extends ListStrictness {
  /** Whether types must be known ones. */
  readonly knownTypes: boolean;
}

/**
 * Checks everything in a schema, rules in CEL by their form only; schema by schema.
 * @param spoilt filled with the paths of schemas that have errors, or have them below
 */
export const validateOpenApi = (
  schema: Json,
  path: string,
  strict: OpenApiStrictness,
  spoilt: Set<string>,
): Iterable<FieldError[]> => validateAt(schema, path, { insideMeta: false, root: true }, strict, spoilt);

/** Returns whether there are no errors. */
function* validateAt(
  schema: Json,
  path: string,
  place: Place,
  strict: OpenApiStrictness,
  spoilt: Set<string>,
): Generator<FieldError[], boolean> {
  const errors = [
    ...validateForm(schema, path, place, strict),
    ...validateLists(schema, path, strict),
    ...validateRules(schema, `${path}.x-kubernetes-validations`),
  ];
  yield errors;
  let isSound = errors.length === 0;
  for (const [name, child] of childSchemas(schema)) {
    if (!isWalked(name)) continue;
    const below = placeBelow(schema, place, name);
    if (!(yield* validateAt(child, `${path}.${name}`, below, strict, spoilt))) isSound = false;
  }
  if (!isSound) spoilt.add(path);
  return isSound;
}

/** Returns whether a child schema is checked; those that are refused as a whole are not. */
const isWalked = (name: string): boolean =>
  !name.startsWith('additionalItems') && !name.startsWith('patternProperties');

function placeBelow(schema: Json, place: Place, name: string): Place {
  const below: Place = { ...place, root: false };
  if (name === 'additionalProperties' && place.insideMeta) {
    return { ...below, noDefault: ' inside additionalProperties applying to object metadata' };
  }
  const property = META.find((member) => name === `properties[${member}]`);
  if (property === undefined || !(place.root || schema['x-kubernetes-embedded-resource'] === true)) return below;
  return { ...below, insideMeta: true, ...(place.root && { noDefault: ` in top-level ${property}` }) };
}

function validateForm(schema: Json, path: string, place: Place, strict: OpenApiStrictness): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (name: string, text: string) => errors.push(forbiddenField(`${path}.${name}`, text));
  const type = textAt(schema, 'type');
  if (strict.knownTypes && type !== '' && !TYPES.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, TYPES));
  }
  const given = schema.default !== undefined && schema.default !== null;
  if (given && place.noDefault !== undefined) refuse('default', `must not be set${place.noDefault}`);
  for (const name of UNSUPPORTED) if (isUsed(schema, name)) refuse(name, `${name} is not supported`);
  if (type === 'null') refuse('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    refuse('items', 'items must be a schema object and not an array');
  }
  if (place.insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    refuse('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  if (schema.uniqueItems === true) {
    refuse('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  }
  const others = schema.additionalProperties;
  if (
    isObject(schema.properties) &&
    Object.keys(schema.properties).length > 0 &&
    (isObject(others) || others === false)
  ) {
    refuse('additionalProperties', 'additionalProperties and properties are mutual exclusive');
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    const field = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(invalidValue(field, false, 'must be true or undefined'));
  }
  return errors;
}

/** Returns whether an unsupported member is used: a map of schemas if it is not empty, others if they are present. */
function isUsed(schema: Json, name: string): boolean {
  const value = schema[name];
  if (name === 'patternProperties' || name === 'definitions') return isObject(value) && Object.keys(value).length > 0;
  return name === 'id' ? says(value) : value !== undefined && value !== null;
}

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

function validateRules(schema: Json, path: string): FieldError[] {
  return objectsAt(schema, 'x-kubernetes-validations').flatMap((rule, index) => {
    const field = `${path}[${index}]`;
    const expression = textAt(rule, 'messageExpression');
    return [
      ...validateRule(textAt(rule, 'rule').trim(), textAt(rule, 'message'), field),
      ...(expression !== '' && expression.trim() === ''
        ? [required(`${field}.messageExpression`, 'messageExpression must be non-empty if specified')]
        : []),
      ...reasonErrors(rule.reason, `${field}.reason`),
      ...fieldPathErrors(textAt(rule, 'fieldPath'), schema, `${field}.fieldPath`),
    ];
  });
}

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const reasonErrors = (reason: unknown, field: string): FieldError[] =>
  !isThere(reason) || REASONS.includes(reason as string) ? [] : [notSupported(field, reason, REASONS)];

function fieldPathErrors(path: string, schema: Json, field: string): FieldError[] {
  if (path === '') return [];
  const refuse = (text: string) => [invalidValue(field, path, text)];
  return [
    ...(path.trim() === '' ? refuse('must be non-empty if specified') : []),
    ...(hasLineBreak(path) ? refuse('must not contain line breaks') : []),
    ...(isFieldPath(path, schema) ? [] : refuse('must be a valid path')),
  ];
}

function isFieldPath(path: string, schema: Json): boolean {
  try {
    fieldAt(path, schema as SchemaProps);
    return true;
  } catch (error) {
    if (error instanceof FieldPathError) return false;
    throw error;
  }
}

/** Returns the first error of a rule. */
function validateRule(rule: string, message: string, path: string): FieldError[] {
  const field = `${path}.message`;
  const said = message.trim();
  if (rule === '') return [required(`${path}.rule`, 'rule is not specified')];
  if (message !== '' && said === '') {
    return [invalidValue(field, message, 'message must be non-empty if specified')];
  }
  if (hasLineBreak(said)) return [invalidValue(field, message, 'message must not contain line breaks')];
  if (!hasLineBreak(rule) || said !== '') return [];
  return [required(field, 'message must be specified if rule contains line breaks')];
}

/** Returns whether the type of a schema is a known one, or absent. */
export const hasKnownType = (schema: Json): boolean => {
  const type = textAt(schema, 'type');
  return type === '' || TYPES.includes(type);
};
