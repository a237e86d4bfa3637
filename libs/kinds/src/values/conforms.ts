import type { Schema } from '@orch/schema';
import { isObject } from './fields.js';

/**
 * Whether a JSON value has the shape of a schema, with no member that the schema does not know. For values that come
 * out of annotations, which no reader has checked.
 */
export function conforms(schema: Schema, value: unknown): boolean {
  switch (schema.kind) {
    case 'list':
      return Array.isArray(value) && value.every((item) => conforms(schema.items, item));
    case 'map':
      return isObject(value) && Object.values(value).every((item) => conforms(schema.values, item));
    case 'struct':
      return (
        isObject(value) &&
        Object.entries(value).every(([name, member]) => {
          const field = schema.fields.get(name);
          return field !== undefined && conforms(field.schema, member);
        })
      );
    case 'bool':
      return typeof value === 'boolean';
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return Number.isSafeInteger(value);
    case 'float':
    case 'double':
      return typeof value === 'number';
    case 'intOrString':
      return typeof value === 'string' || Number.isSafeInteger(value);
    case 'rawExtension':
    case 'fieldsV1':
      return isObject(value);
    case 'json':
      return true;
    default:
      return typeof value === 'string';
  }
}

/** The schema at a path of member names; undefined where there is none. */
export function schemaAt(schema: Schema, ...path: readonly string[]): Schema | undefined {
  let here: Schema | undefined = schema;
  for (const name of path) here = here?.kind === 'struct' ? here.fields.get(name)?.schema : undefined;
  return here;
}
