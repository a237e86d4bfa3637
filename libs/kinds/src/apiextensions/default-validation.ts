import { type FieldError, invalidValue, required } from '@orch/machinery';
import { isObject, type Json, textAt } from '../values/fields.js';
import { valueErrors } from './schema-value.js';
import { itemSchema, propertiesOf, propertyOf } from './schema-walk.js';

const EMBEDDED = 'x-kubernetes-embedded-resource';
const META = ['apiVersion', 'kind', 'metadata'];

/** Fields in the defaults of a structural schema that would be pruned. */
export const unknownInDefaults = (schema: Json, path: string): FieldError[] =>
  eachDefault(asRoot(schema), path, false, (each, value, field, inside) =>
    inside || isPruned(value, each) ? [] : [invalidValue(field, value, 'must not have unknown fields')],
  );

/** Defaults of a structural schema obey it, and those of whole objects say their type. */
export const wrongDefaults = (schema: Json, path: string): FieldError[] =>
  eachDefault(asRoot(schema), path, false, (each, value, field) => {
    const untyped = each[EMBEDDED] === true && isObject(value) ? requireType(value, field) : [];
    return untyped.length > 0 ? untyped : valueErrors(each, value, field);
  });

const asRoot = (schema: Json): Json => ({ ...schema, [EMBEDDED]: true });

type Judge = (schema: Json, value: unknown, field: string, insideMeta: boolean) => FieldError[];

/** What stands in the metadata of an object is not pruned by the schema. */
function eachDefault(schema: Json, path: string, insideMeta: boolean, judge: Judge): FieldError[] {
  const value = schema.default;
  const whole = schema[EMBEDDED] === true;
  const inside = insideMeta && !whole;
  const items = itemSchema(schema);
  return [
    ...(value === undefined || value === null ? [] : judge(schema, value, `${path}.default`, inside)),
    ...(items ? eachDefault(items, `${path}.items`, inside, judge) : []),
    ...propertiesOf(schema).flatMap(([name, property]) =>
      eachDefault(property, `${path}.properties[${name}]`, inside || (whole && META.includes(name)), judge),
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
