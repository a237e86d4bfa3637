import { setMember } from '@orch/machinery';
import {
  type Field,
  type ListSchema,
  type MapSchema,
  SCALAR_KINDS,
  type Schema,
  type StructSchema,
} from '@orch/schema';
import { TooManyValuesError } from '../too-many-values.js';
import { type CustomJson, customJsonOf } from './custom-json.js';
import { SCALAR_DECODERS, type ScalarDecoder } from './decode-scalar.js';
import { type Layout, layoutOf } from './layout.js';
import { ProtobufError } from './protobuf-error.js';
import { LENGTH_DELIMITED, VARINT } from './wire.js';
import { WireReader } from './wire-reader.js';

type Members = Record<string, unknown>;
/** Reads a value of a field and sets it in the object. */
type FieldDecoder = (reader: WireReader, wireType: number, into: Members) => void;

interface StructDecoder {
  /** Decoders by field number. */
  readonly fields: readonly (FieldDecoder | undefined)[];
  readonly custom: CustomJson | undefined;
}

/** Limits of a body. */
export interface ProtobufLimits {
  /** Limit of fields, known or not, and items of packed lists. Default: none. */
  readonly maxValues?: number;
}

const decoders = new WeakMap<StructSchema, StructDecoder>();

/**
 * Decodes an object from its binary form, without `apiVersion` and `kind`, to the result of reading its JSON form:
 * unset and zero values of fields that omit them are absent. Unknown fields are skipped.
 * @param into receives the members
 * @throws ProtobufError for invalid bytes, TooManyValuesError
 */
export function decodeObject(
  schema: StructSchema,
  bytes: Uint8Array,
  into: Members = {},
  { maxValues = Number.POSITIVE_INFINITY }: ProtobufLimits = {},
): Members {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    readFields(new WireReader(buffer, maxValues), structDecoder(schema).fields, into);
  } catch (error) {
    throw error instanceof ProtobufError || error instanceof TooManyValuesError
      ? error
      : new ProtobufError(`${schema.id}: ${messageOf(error)}`);
  }
  return into;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function structDecoder(schema: StructSchema): StructDecoder {
  let decoder = decoders.get(schema);
  if (!decoder) {
    decoder = {
      fields: layoutDecoders(layoutOf(schema)),
      custom: schema.customJson ? customJsonOf(schema) : undefined,
    };
    decoders.set(schema, decoder);
  }
  return decoder;
}

function readFields(reader: WireReader, fields: StructDecoder['fields'], into: Members): void {
  while (reader.pos < reader.end) {
    reader.count();
    const tag = reader.uint32();
    const number = tag >>> 3;
    if (number === 0) throw new ProtobufError('field number 0 does not exist');
    const field = fields[number];
    if (field) field(reader, tag & 7, into);
    else reader.skip(tag & 7);
  }
}

function layoutDecoders(layout: Layout): StructDecoder['fields'] {
  const byNumber: (FieldDecoder | undefined)[] = [];
  for (const member of layout.members) {
    byNumber[member.number] = 'field' in member ? fieldDecoder(member.field) : inlinedDecoder(member.inlined);
  }
  return Array.from(byNumber);
}

/** The fields of an inlined struct are set in the object that holds it. */
function inlinedDecoder(layout: Layout): FieldDecoder {
  const fields = layoutDecoders(layout);
  return (reader, wireType, into) => {
    expectType(wireType, LENGTH_DELIMITED);
    const outer = reader.enter();
    readFields(reader, fields, into);
    reader.leave(outer);
  };
}

function expectType(wireType: number, expected: number): void {
  if (wireType !== expected) throw new ProtobufError(`wire type ${wireType} where ${expected} is expected`);
}

function fieldDecoder(field: Field): FieldDecoder {
  const { name, schema } = field;
  switch (schema.kind) {
    case 'struct':
      return structField(name, schema);
    case 'list':
      return schema.wrapped ? wrappedField(field, schema) : listField(name, schema);
    case 'map':
      return mapField(name, schema);
    default:
      return scalarField(field, SCALAR_DECODERS[schema.kind]);
  }
}

function scalarField(field: Field, { wireType: expected, read, zero }: ScalarDecoder): FieldDecoder {
  const { name } = field;
  const omitted = field.omitEmpty && !field.pointer && SCALAR_KINDS.has(field.schema.kind);
  return (reader, wireType, into) => {
    if (wireType !== expected) expectType(wireType, expected);
    const value = read(reader);
    if (value === undefined || (omitted && value === zero)) return;
    into[name] = value;
  };
}

function structField(name: string, schema: StructSchema): FieldDecoder {
  const read = structReader(schema);
  return (reader, wireType, into) => {
    expectType(wireType, LENGTH_DELIMITED);
    // A repeated field is merged, as protobuf requires.
    const value = read(reader, into[name]);
    if (value !== undefined) into[name] = value;
  };
}

function structReader(schema: StructSchema): (reader: WireReader, before?: unknown) => unknown {
  // Looked up on first use: structs may contain themselves.
  let decoder: StructDecoder | undefined;
  return (reader, before) => {
    decoder ??= structDecoder(schema);
    const { fields, custom } = decoder;
    const members = before !== undefined && !custom ? (before as Members) : {};
    const outer = reader.enter();
    // Counts like `{}` in JSON: for itself and for possible content.
    if (reader.pos === reader.end) reader.count();
    readFields(reader, fields, members);
    reader.leave(outer);
    return custom ? custom.fromMembers(members) : members;
  };
}

function wrappedField(field: Field, schema: ListSchema): FieldDecoder {
  const item = itemReader(schema);
  return (reader, wireType, into) => {
    expectType(wireType, LENGTH_DELIMITED);
    const items = item(reader) as unknown[];
    if (items.length > 0 || !field.omitEmpty) into[field.name] = items;
  };
}

function listField(name: string, { items }: ListSchema): FieldDecoder {
  const read = itemReader(items);
  const expected = wireTypeOf(items);
  return (reader, wireType, into) => {
    let list = into[name] as unknown[] | undefined;
    if (!list) into[name] = list = [];
    if (wireType === expected) list.push(read(reader));
    else if (expected === VARINT && wireType === LENGTH_DELIMITED) readPacked(reader, read, list);
    else expectType(wireType, expected);
  };
}

/** Reads consecutive numbers, which any writer may use for a list of them. */
function readPacked(reader: WireReader, read: (reader: WireReader) => unknown, list: unknown[]): void {
  const outer = reader.enter();
  while (reader.pos < reader.end) {
    reader.count();
    list.push(read(reader));
  }
  reader.leave(outer);
}

function mapField(name: string, { values }: MapSchema): FieldDecoder {
  const readValue = itemReader(values);
  const expected = wireTypeOf(values);
  const zero = zeroOf(values);
  return (reader, wireType, into) => {
    expectType(wireType, LENGTH_DELIMITED);
    let map = into[name] as Members | undefined;
    if (!map) into[name] = map = {};
    let key = '';
    let value: unknown;
    const outer = reader.enter();
    while (reader.pos < reader.end) {
      reader.count();
      const tag = reader.uint32();
      if (tag >>> 3 === 1 && (tag & 7) === LENGTH_DELIMITED) key = reader.string();
      else if (tag >>> 3 === 2 && (tag & 7) === expected) value = readValue(reader);
      else reader.skip(tag & 7);
    }
    reader.leave(outer);
    setMember(map, key, value ?? zero());
  };
}

/** Returns the reader of an item of a list or the value of a map's key, where nothing can be left out. */
function itemReader(schema: Schema): (reader: WireReader) => unknown {
  switch (schema.kind) {
    case 'struct': {
      const read = structReader(schema);
      return (reader) => read(reader) ?? null;
    }
    case 'list': {
      const field = listField('items', schema);
      return (reader) => {
        const holder: Members = { items: [] };
        const outer = reader.enter();
        readFields(reader, [undefined, field], holder);
        reader.leave(outer);
        return holder.items;
      };
    }
    case 'map':
      throw new ProtobufError('a map within a list or map has no binary form');
    default: {
      const { read, zero } = SCALAR_DECODERS[schema.kind];
      return (reader) => read(reader) ?? zero;
    }
  }
}

const wireTypeOf = (schema: Schema): number =>
  schema.kind === 'struct' || schema.kind === 'list' || schema.kind === 'map'
    ? LENGTH_DELIMITED
    : SCALAR_DECODERS[schema.kind].wireType;

function zeroOf(schema: Schema): () => unknown {
  if (schema.kind === 'struct' || schema.kind === 'map') return () => ({});
  if (schema.kind === 'list') return () => [];
  const { zero } = SCALAR_DECODERS[schema.kind];
  return () => zero;
}
