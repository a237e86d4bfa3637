import type { JsonObject, JsonValue } from '@orch/machinery';
import type { Field, Schema, StructSchema } from './model.js';

/**
 * Kinds of values other than structs where encoders were generated, and that have a zero. An integer-or-text, a
 * quantity or a duration is one.
 */
export const SCALAR_KINDS: ReadonlySet<Schema['kind']> = new Set([
  'string',
  'bytes',
  'bool',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'float',
  'double',
]);

/**
 * Kinds of values whose zero an encoder of declared types omits if the field says so. Structs and times are never empty
 * to it.
 */
const LEFT_OUT: ReadonlySet<Schema['kind']> = new Set([...SCALAR_KINDS, 'list', 'map', 'json']);

/** Whether a field is in every object that release 1.27 writes, if need be with its zero. */
export const isAlwaysWritten = ({ omitEmpty, pointer, schema }: Field): boolean =>
  !omitEmpty || (!pointer && !LEFT_OUT.has(schema.kind) && !(schema.kind === 'struct' && schema.customJson === true));

/** Whether the zero of such a value is omitted if its field says so. */
export const isLeftOut = ({ kind }: Schema): boolean => LEFT_OUT.has(kind);

/** Returns the value that is written for an unset field. */
export const zeroOfField = (field: Field): JsonValue => (field.pointer ? null : zeroOfSchema(field.schema));

/** Returns the value that is written for an unset value, when it is held by value. */
export function zeroOfSchema(schema: Schema): JsonValue {
  switch (schema.kind) {
    case 'struct':
      return schema.customJson ? null : zeroStruct(schema);
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'duration':
      return '0s';
    case 'quantity':
      return '0';
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float':
    case 'double':
    case 'intOrString':
      return 0;
    default:
      return null;
  }
}

/** Terminates, as a struct that is held by value cannot contain itself. */
function zeroStruct({ fields }: StructSchema): JsonObject {
  const zero: JsonObject = {};
  for (const field of fields.values()) if (isAlwaysWritten(field)) zero[field.name] = zeroOfField(field);
  return zero;
}
