import { isObject, type Json, objectsAt } from '../values/fields.js';

/** The schemas that stand in a schema, in whatever role, with their places in it. */
export function* childSchemas(schema: Json): Iterable<readonly [path: string, child: Json]> {
  for (const name of ['items', 'not', 'additionalProperties', 'additionalItems']) {
    const child = schema[name];
    if (isObject(child)) yield [name, child];
  }
  for (const name of ['items', 'allOf', 'anyOf', 'oneOf']) {
    for (const [index, child] of objectsAt(schema, name).entries()) yield [`${name}[${index}]`, child];
  }
  for (const name of ['properties', 'patternProperties', 'definitions', 'dependencies']) {
    const named = schema[name];
    if (!isObject(named)) continue;
    for (const [key, child] of Object.entries(named)) if (isObject(child)) yield [`${name}[${key}]`, child];
  }
}

/** A schema and those that stand in it, however deep. */
export function* allSchemas(schema: Json): Iterable<Json> {
  const left = [schema];
  for (let next = left.pop(); next; next = left.pop()) {
    yield next;
    for (const [, child] of childSchemas(next)) left.push(child);
  }
}

/** Whether a schema, or one that stands in it, is such a one. */
export function hasSchema(schema: Json, isSuch: (schema: Json) => boolean): boolean {
  for (const each of allSchemas(schema)) if (isSuch(each)) return true;
  return false;
}

const EMBEDDED = 'x-kubernetes-embedded-resource';

/** Whether values of a schema are whole objects, with type and metadata of their own. */
export const isEmbedded = (schema: Json): boolean => schema[EMBEDDED] === true;

/** A schema with its values being whole objects. */
export const asEmbedded = (schema: Json): Json => ({ ...schema, [EMBEDDED]: true });

/** The schema of each item, when it is one for all. */
export const itemSchema = ({ items }: Json): Json | undefined => (isObject(items) ? items : undefined);

/** A member of a map of schemas. */
export function propertyOf(schema: Json, name: string): Json | undefined {
  const { properties } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  const property = properties[name];
  return isObject(property) ? property : undefined;
}

/** The properties of a schema, by name. */
export const propertiesOf = ({ properties }: Json): [string, Json][] =>
  isObject(properties)
    ? Object.entries(properties).flatMap(([name, property]): [string, Json][] =>
        isObject(property) ? [[name, property]] : [],
      )
    : [];

/** Whether a schema has a default of its own. */
export const hasDefault = (schema: Json): boolean => isThere(schema.default);

/** Whether a schema has rules of its own. */
export const hasRules = (schema: Json): boolean => objectsAt(schema, 'x-kubernetes-validations').length > 0;

/** Whether a member is set, be it to its zero value. */
export const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** Returns whether a member has more than its zero value. */
export const says = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  value !== 0 &&
  !(Array.isArray(value) && value.length === 0);
