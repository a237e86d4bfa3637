import { type FieldError, invalidValue, required } from '@orch/machinery';
import { isObject, type Json, textAt } from '../values/fields.js';
import { itemSchema, propertiesOf, propertyOf } from './schema-walk.js';

const EMBEDDED = 'x-kubernetes-embedded-resource';
const META = ['apiVersion', 'kind', 'metadata'];

/** Defaults of a structural schema hold no fields that would be pruned, and those of whole objects their type. */
export const validateDefaults = (schema: Json, path: string): FieldError[] =>
  validateBelow({ ...schema, [EMBEDDED]: true }, path, false);

/** What stands in the metadata of an object is not pruned by the schema. */
function validateBelow(schema: Json, path: string, insideMeta: boolean): FieldError[] {
  const value = schema.default;
  const whole = schema[EMBEDDED] === true;
  const inside = insideMeta && !whole;
  const items = itemSchema(schema);
  const pruned = inside || value === undefined || value === null || isPruned(value, schema);
  return [
    ...(pruned ? [] : [invalidValue(`${path}.default`, value, 'must not have unknown fields')]),
    ...(whole && isObject(value) ? requireType(value, `${path}.default`) : []),
    ...(items ? validateBelow(items, `${path}.items`, inside) : []),
    ...propertiesOf(schema).flatMap(([name, property]) =>
      validateBelow(property, `${path}.properties[${name}]`, inside || (whole && META.includes(name))),
    ),
  ];
}

/** A whole object says what it is. */
const requireType = (value: Json, path: string): FieldError[] =>
  ['apiVersion', 'kind']
    .filter((name) => textAt(value, name) === '')
    .map((name) => required(`${path}.${name}`, 'must not be empty'));

/** Whether pruning by the schema would leave a value as it is. */
function isPruned(value: unknown, schema: Json | undefined): boolean {
  if (Array.isArray(value)) {
    const items = schema && itemSchema(schema);
    return value.every((item) => isPruned(item, items));
  }
  if (!isObject(value)) return true;
  const preserves = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  const others = schema?.additionalProperties;
  return Object.entries(value).every(([name, member]) => {
    if (schema?.[EMBEDDED] === true && META.includes(name)) return true;
    const property = schema && propertyOf(schema, name);
    if (property) return isPruned(member, property);
    if (isObject(others)) return isPruned(member, others);
    return others === true || preserves;
  });
}
