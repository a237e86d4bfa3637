import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import { type Json, stringsAt, textAt } from '../values/fields.js';
import { shownStrings } from '../values/go-syntax.js';
import { hasSchema, itemSchema, propertyOf } from './schema-walk.js';

/** How lists and maps of custom objects are merged. */

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_TYPE = 'x-kubernetes-map-type';
const KEYS = 'x-kubernetes-list-map-keys';
const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

/** Rules beyond the form of each schema; relaxed for definitions whose stored form violates them. */
export interface ListStrictness {
  /** Whether items of sets must be atomic. */
  readonly atomicSets: boolean;
  /**
   * Whether items of sets and maps, and keys of maps, must not be null, and keys must be required or have a default.
   */
  readonly wholeKeys: boolean;
}

/** Returns the rules for new schemas, given the stored ones. */
export const listStrictness = (olds: readonly Json[]): ListStrictness => ({
  atomicSets: !olds.some((schema) => hasSchema(schema, (each) => validateSetItems(each, '').length > 0)),
  wholeKeys: !olds.some((schema) => hasSchema(schema, (each) => validateWholeKeys(each, '').length > 0)),
});

/** Checks the list and map types of one schema. */
export function validateLists(schema: Json, path: string, { atomicSets, wholeKeys }: ListStrictness): FieldError[] {
  const list = schema[LIST_TYPE];
  return [
    ...validateKind(schema, path, MAP_TYPE, 'object', MAP_TYPES),
    ...validateKind(schema, path, LIST_TYPE, 'array', LIST_TYPES),
    ...(atomicSets && schema.type === 'array' ? validateSetItems(schema, path) : []),
    ...validateKeyed(schema, path, list),
    ...(list === 'map' ? validateMapItems(schema, path) : []),
    ...(wholeKeys ? validateWholeKeys(schema, path) : []),
  ];
}

function validateKind(schema: Json, path: string, name: string, type: string, known: readonly string[]): FieldError[] {
  const value = schema[name];
  if (typeof value !== 'string') return [];
  const actual = textAt(schema, 'type');
  const text = `must be ${type} if ${name} is specified`;
  const field = `${path}.type`;
  const wrong = actual === '' ? required(field, text) : invalidValue(field, actual, text);
  return [
    ...(actual === type ? [] : [wrong]),
    ...(known.includes(value) ? [] : [notSupported(`${path}.${name}`, value, known)]),
  ];
}

/** Checks that items of a set are atomic, as they are compared as a whole. */
function validateSetItems(schema: Json, path: string): FieldError[] {
  const items = itemSchema(schema);
  if (schema[LIST_TYPE] !== 'set' || !items) return [];
  const text = `must be atomic as item of a list with ${LIST_TYPE}=set`;
  const refuse = (name: string) => [invalidValue(`${path}.items.${name}`, items[LIST_TYPE], text)];
  if (items.type === 'array') {
    return items[LIST_TYPE] === undefined || items[LIST_TYPE] === 'atomic' ? [] : refuse(LIST_TYPE);
  }
  return items.type === 'object' && items[MAP_TYPE] !== 'atomic' ? refuse(MAP_TYPE) : [];
}

function validateKeyed(schema: Json, path: string, list: unknown): FieldError[] {
  if (stringsAt(schema, KEYS).length === 0 || list === 'map') return [];
  const text = `must be map if ${KEYS} is non-empty`;
  const field = `${path}.${LIST_TYPE}`;
  return [typeof list === 'string' ? invalidValue(field, list, text) : required(field, text)];
}

/** Checks that items of a map are objects with the key properties. */
function validateMapItems(schema: Json, path: string): FieldError[] {
  const items = itemSchema(schema);
  const keys = stringsAt(schema, KEYS);
  const field = `${path}.items`;
  const errors: FieldError[] = [];
  if (keys.length === 0) errors.push(required(`${path}.${KEYS}`, `must not be empty if ${LIST_TYPE} is map`));
  if (!items) {
    const several = Array.isArray(schema.items);
    if (!several) return [...errors, required(field, `must have a schema if ${LIST_TYPE} is map`)];
    return [...errors, invalidValue(field, schema.items, `must only have a single schema if ${LIST_TYPE} is map`)];
  }
  if (items.type !== 'object') {
    const text = `must be object if parent array's ${LIST_TYPE} is map`;
    return [...errors, invalidValue(`${field}.type`, textAt(items, 'type'), text)];
  }
  return [...errors, ...validateKeys(keys, items, path)];
}

function validateKeys(keys: readonly string[], items: Json, path: string): FieldError[] {
  const shown = shownStrings(keys);
  const refuse = (text: string) => invalidValue(`${path}.${KEYS}`, shown, text);
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    const property = propertyOf(items, key);
    const scalar = property?.type !== 'array' && property?.type !== 'object';
    const field = `${path}.items.properties[${key}].type`;
    const text = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
    const again = seen.has(key);
    seen.add(key);
    return [
      ...(property ? [] : [refuse('entries must all be names of item properties')]),
      ...(scalar ? [] : [invalidValue(field, textAt(items, 'type'), text)]),
      ...(again ? [refuse('must not contain duplicate entries')] : []),
    ];
  });
}

/** Checks that items of sets and maps are not nullable, and have their keys. */
function validateWholeKeys(schema: Json, path: string): FieldError[] {
  const list = schema[LIST_TYPE];
  const items = itemSchema(schema);
  if (!items || (list !== 'set' && list !== 'map')) return [];
  const errors =
    items.nullable === true
      ? [forbiddenField(`${path}.items.nullable`, `cannot be nullable when ${LIST_TYPE} is ${list}`)]
      : [];
  if (list === 'set') return errors;
  const asked = new Set(stringsAt(items, 'required'));
  const because = `this property is in ${KEYS}, so it`;
  return [
    ...errors,
    ...stringsAt(schema, KEYS).flatMap((key) => {
      const property = propertyOf(items, key);
      const field = `${path}.items.properties[${key}]`;
      if (!property) return [];
      const given = asked.has(key) || isGiven(property.default);
      return [
        ...(given ? [] : [required(`${field}.default`, `${because} must have a default or be a required property`)]),
        ...(property.nullable === true ? [forbiddenField(`${field}.nullable`, `${because} cannot be nullable`)] : []),
      ];
    }),
  ];
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
