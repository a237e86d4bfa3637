import { type FieldError, forbiddenField, invalidValue, required } from '@orch/machinery';
import { isObject, type Json, textAt } from '../values/fields.js';
import { hasSchema, isThere, itemSchema, propertiesOf, propertyOf, says } from './schema-walk.js';

/**
 * Structural schemas: every field has a type outside of the parts that only test values, so that fields can be pruned and
 * defaulted without looking at values.
 */

type Level = 'root' | 'item' | 'field';

const EMPTY: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};
const EMBEDDED = 'x-kubernetes-embedded-resource';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const INT_OR_STRING = 'x-kubernetes-int-or-string';

/** Members that no structural schema can have, in whatever depth. */
const UNSUPPORTED = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'];

/** Why a schema cannot be read as a structural one at all; undefined when it can. */
export function unstructured(schema: Json): string | undefined {
  let reason: string | undefined;
  hasSchema(schema, (each) => {
    const name = UNSUPPORTED.find((member) => isSet(each, member));
    if (name !== undefined) reason = `OpenAPIV3Schema '${name === '$schema' ? 'schema' : name}' is not supported`;
    else if (Array.isArray(each.items)) reason = "OpenAPIV3Schema 'items' must be a schema, but is an array";
    else if (each[PRESERVE] === false) {
      reason = `internal error: '${PRESERVE}' must be true or undefined`;
    }
    return reason !== undefined;
  });
  return reason;
}

/** Members of which an empty value counts as a value. */
const EVEN_EMPTY = new Set(['$ref', 'additionalItems']);

function isSet(schema: Json, name: string): boolean {
  const value = schema[name];
  if (EVEN_EMPTY.has(name)) return isThere(value);
  return isObject(value) ? Object.keys(value).length > 0 : says(value);
}

/** Types, extensions and metadata, of the schema and all that stands in it. */
export const validateLevels = (schema: Json, path: string): FieldError[] => validateLevel(schema, 'root', path);

function validateLevel(schema: Json, level: Level, path: string): FieldError[] {
  const items = itemSchema(schema);
  const others = schema.additionalProperties;
  return [
    ...(schema.type === 'array' && !items ? [required(`${path}.items`, 'must be specified')] : []),
    ...(items ? validateLevel(items, 'item', `${path}.items`) : []),
    ...propertiesOf(schema).flatMap(([name, property]) =>
      validateLevel(property, 'field', `${path}.properties[${name}]`),
    ),
    ...(others !== undefined && level === 'root'
      ? [forbiddenField(`${path}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...(isObject(others) ? validateLevel(others, 'field', `${path}.additionalProperties`) : []),
    ...validateExtensions(schema, path),
    ...validateType(schema, level, path),
    ...validateMeta(schema, level, path),
  ];
}

function validateExtensions(schema: Json, path: string): FieldError[] {
  const text = `must be false if ${INT_OR_STRING} is true`;
  const errors =
    schema[INT_OR_STRING] === true
      ? [PRESERVE, EMBEDDED]
          .filter((name) => schema[name] === true)
          .map((name) => invalidValue(`${path}.${name}`, true, text))
      : [];
  if (schema[EMBEDDED] !== true) return errors;
  if (schema.additionalProperties !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, `must not be used if ${EMBEDDED} is set`));
  }
  if (schema[PRESERVE] !== true && propertiesOf(schema).length === 0) {
    const empty = `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`;
    errors.push(required(`${path}.properties`, empty));
  }
  return errors;
}

function validateType(schema: Json, level: Level, path: string): FieldError[] {
  const type = textAt(schema, 'type');
  const field = `${path}.type`;
  const errors: FieldError[] = [];
  if (schema[EMBEDDED] === true && type !== 'object') {
    const text = `must be object if ${EMBEDDED} is true`;
    errors.push(type === '' ? required(field, text) : invalidValue(field, type, text));
  } else if (type === '' && schema[INT_OR_STRING] !== true && schema[PRESERVE] !== true) {
    errors.push(required(field, EMPTY[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalidValue(field, type, 'must be object at the root'));
  }
  return errors;
}

/** Type and metadata of whole objects are what they are. */
function validateMeta(schema: Json, level: Level, path: string): FieldError[] {
  const whole = level === 'root' || schema[EMBEDDED] === true;
  const of = (name: string) => `${path}.properties[${name}]`;
  const metadata = propertyOf(schema, 'metadata');
  const errors = whole
    ? ['kind', 'apiVersion'].flatMap((name) => {
        const property = propertyOf(schema, name);
        if (!property || property.type === 'string') return [];
        return [invalidValue(`${of(name)}.type`, textAt(property, 'type'), 'must be string')];
      })
    : [];
  if (!metadata) return errors;
  if (whole && metadata.type !== 'object') {
    errors.push(invalidValue(`${of('metadata')}.type`, textAt(metadata, 'type'), 'must be object'));
  }
  if (level !== 'root' || saysNamesOnly(metadata)) return errors;
  const text = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [...errors, forbiddenField(of('metadata'), text)];
}

const OF_NAMES = ['type', 'properties', 'default', 'example', 'externalDocs'];

function saysNamesOnly(metadata: Json): boolean {
  const names = propertiesOf(metadata).map(([name]) => name);
  if (!names.every((name) => name === 'name' || name === 'generateName')) return false;
  return Object.entries(metadata).every(([name, value]) => OF_NAMES.includes(name) || !says(value));
}
