import { copy } from '@orch/machinery';
import type { Field, Schema, StructSchema } from './model.js';

type Members = Record<string, unknown>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Aligns zero values in place: where one of two objects omits a field and the other holds its zero, `object` gets what
 * `like` has. Clients with declared types write the zeros of all fields that are no pointers, others omit them, and
 * neither intends a change by it. A pointer's zero differs from its absence and stays.
 */
export function alignZeros(schema: StructSchema, object: Members, like: Members): void {
  if (schema.customJson) return;
  // Walks the members that the two have, not all that they may have: few fields of a large type are set. Only members
  // that may matter are looked up; of two present leaves none does.
  for (const name in object) {
    const [value, other] = [object[name], like[name]];
    if (isAbsent(value) || (typeof value !== 'object' && !isAbsent(other))) continue;
    const field = schema.fields.get(name);
    if (field === undefined) continue;
    if (!isAbsent(other)) alignValues(field.schema, value, other);
    else if (isZeroOf(field, value)) delete object[name];
  }
  for (const name in like) {
    const other = like[name];
    if (isAbsent(other) || !isAbsent(object[name])) continue;
    const field = schema.fields.get(name);
    if (field && isZeroOf(field, other)) object[name] = copy(other);
  }
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

function alignValues(schema: Schema, value: unknown, like: unknown): void {
  if (schema.kind === 'struct') {
    if (isMembers(value) && isMembers(like)) alignZeros(schema, value, like);
  } else if (schema.kind === 'list' && isNested(schema.items)) {
    if (!Array.isArray(value) || !Array.isArray(like)) return;
    for (let i = 0; i < value.length; i++) alignValues(schema.items, value[i], like[i]);
  } else if (schema.kind === 'map' && isNested(schema.values)) {
    if (!isMembers(value) || !isMembers(like)) return;
    for (const name in value) if (Object.hasOwn(like, name)) alignValues(schema.values, value[name], like[name]);
  }
}

const isNested = ({ kind }: Schema): boolean => kind === 'struct' || kind === 'list' || kind === 'map';

const isZeroOf = (field: Field, value: unknown): boolean => !field.pointer && isZero(field.schema, value);

function isZero(schema: Schema, value: unknown): boolean {
  switch (schema.kind) {
    case 'string':
    case 'bytes':
      return value === '';
    case 'bool':
      return value === false;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float':
    case 'double':
      return value === 0;
    case 'list':
      return Array.isArray(value) && value.length === 0;
    case 'map':
      return isMembers(value) && Object.keys(value).length === 0;
    case 'struct':
      return !schema.customJson && isMembers(value) && isZeroStruct(schema, value);
    default:
      return false;
  }
}

function isZeroStruct({ fields }: StructSchema, value: Members): boolean {
  return Object.entries(value).every(([name, member]) => {
    const field = fields.get(name);
    return member === null || (field !== undefined && isZeroOf(field, member));
  });
}
