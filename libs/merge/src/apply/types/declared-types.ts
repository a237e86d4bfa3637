import type { JsonValue } from '@orch/machinery';
import {
  type Field,
  isAlwaysWritten,
  isLeftOut,
  type ScalarKind,
  type Schema,
  type StructSchema,
  zeroOfField,
  zeroOfSchema,
} from '@orch/schema';
import { fieldElement } from '../paths/path-element.js';
import { ATOMIC, DEDUCED, type FieldType, type ListType, type MapType, mapOf, type Type } from './type.js';

/** Options of {@link declaredType}. */
interface DeclaredOptions {
  /**
   * Whether a field that clients with declared types always write (`status: {}`, `creationTimestamp: null`) equals the
   * omitted one, and one that they never write (an empty `labels`) equals nothing. Objects of built-in kinds are owned
   * in this way; custom objects are taken as sent.
   */
  readonly zeros: boolean;
}

interface Growing extends MapType {
  readonly fields: Map<string, FieldType>;
  readonly always: string[];
}

const STRING: Type = { scalar: 'string' };
const UNTYPED: Type = { scalar: 'untyped' };
const NUMERIC: Type = { scalar: 'numeric' };

const SCALARS: Record<ScalarKind, Type> = {
  string: STRING,
  bytes: STRING,
  duration: STRING,
  bool: { scalar: 'boolean' },
  int32: NUMERIC,
  int64: NUMERIC,
  uint32: NUMERIC,
  uint64: NUMERIC,
  float: NUMERIC,
  double: NUMERIC,
  time: UNTYPED,
  microTime: UNTYPED,
  quantity: UNTYPED,
  intOrString: UNTYPED,
  rawExtension: ATOMIC,
  fieldsV1: DEDUCED,
  json: DEDUCED,
};

const made = { with: new WeakMap<StructSchema, Type>(), without: new WeakMap<StructSchema, Type>() };

/** Returns the type for owning and merging objects of a declared struct. Made once per struct. */
export function declaredType(schema: StructSchema, { zeros }: DeclaredOptions): Type {
  return structType(schema, zeros);
}

function structType(schema: StructSchema, zeros: boolean): Type {
  if (schema.customJson) return DEDUCED;
  const kept = zeros ? made.with : made.without;
  const known = kept.get(schema);
  if (known) return known;
  const map: Growing = { atomic: schema.structType === 'atomic', fields: new Map(), always: [], plans: [] };
  const type: Type = { map };
  kept.set(schema, type); // before its fields, which may refer to it
  for (const field of schema.fields.values()) {
    map.fields.set(field.name, fieldType(field, zeros));
    if (zeros && isAlwaysWritten(field)) map.always.push(field.name);
  }
  return type;
}

function fieldType(field: Field, zeros: boolean): FieldType {
  const byDefault = keyDefault(field);
  return {
    element: fieldElement(field.name),
    type: typeInField(field, zeros),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(zeros && { isZero: field.omitEmpty && !field.pointer ? zeroTest(field.schema) : never }),
    ...(zeros && isAlwaysWritten(field) && { zero: zeroOfField(field) }),
  };
}

/** The type of a field's value; declarations of the field override those of the struct. */
function typeInField(field: Field, zeros: boolean): Type {
  const type = typeOf(field.schema, zeros);
  if (field.schema.kind === 'list') return { list: listType(field, field.schema.items, zeros) };
  if (field.mapType === undefined || !type.map) return type;
  return { map: { ...type.map, atomic: field.mapType === 'atomic', plans: [] } };
}

function typeOf(schema: Schema, zeros: boolean): Type {
  if (schema.kind === 'struct') return structType(schema, zeros);
  if (schema.kind === 'map')
    return { map: { ...mapOf(typeOf(schema.values, zeros)), ...nullAs(schema.values, zeros) } };
  if (schema.kind === 'list')
    return { list: { relation: 'atomic', ...listItems(schema.items, zeros), keys: [], kept: {} } };
  return SCALARS[schema.kind];
}

const listItems = (schema: Schema, zeros: boolean): Pick<ListType, 'items' | 'zero'> => ({
  items: typeOf(schema, zeros),
  ...nullAs(schema, zeros),
});

/** Maps and lists hold values, not pointers: null among them is read as their zero. */
const nullAs = (schema: Schema, zeros: boolean): { zero?: JsonValue } => (zeros ? { zero: zeroOfSchema(schema) } : {});

/**
 * The list type that the field declares; without a declaration, the way in which patches merge it decides ownership.
 */
function listType(field: Field, itemSchema: Schema, zeros: boolean): ListType {
  const items = listItems(itemSchema, zeros);
  if (field.listType !== undefined)
    return { relation: field.listType, ...items, keys: field.listMapKeys ?? [], kept: {} };
  if (!field.patchStrategy?.includes('merge')) return { relation: 'atomic', ...items, keys: [], kept: {} };
  if (field.patchMergeKey === undefined) return { relation: 'set', ...items, keys: [], kept: {} };
  return { relation: 'map', ...items, keys: [field.patchMergeKey], kept: {} };
}

/** Keys that may not be absent in the declared type have their zero as default. */
function keyDefault(field: Field): JsonValue | undefined {
  if (field.default !== undefined) return field.default;
  if (field.pointer || field.omitEmpty) return undefined;
  const zero = zeroOfSchema(field.schema);
  return typeof zero === 'object' ? undefined : zero;
}

const never = () => false;

function zeroTest(schema: Schema): (value: JsonValue) => boolean {
  if (!isLeftOut(schema)) return never;
  switch (schema.kind) {
    case 'string':
    case 'bytes':
      return (value) => value === '';
    case 'bool':
      return (value) => value === false;
    case 'list':
      return (value) => Array.isArray(value) && value.length === 0;
    case 'map':
      return (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
    case 'json':
      return never;
    default:
      return (value) => value === 0;
  }
}
