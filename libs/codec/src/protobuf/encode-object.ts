import type { Field, MapSchema, Schema, StructSchema } from '@orch/schema';
import { BackwardWriter } from './backward-writer.js';
import { customJsonOf } from './custom-json.js';
import { SCALAR_ENCODERS, type ValueEncoder } from './encode-scalar.js';
import { type Layout, layoutOf } from './layout.js';
import { ProtobufError } from './protobuf-error.js';

type Members = Readonly<Record<string, unknown>>;
/** Writes the fields of a message, without length and tag. */
type BodyEncoder = (writer: BackwardWriter, value: unknown) => void;
type MemberEncoder = (writer: BackwardWriter, members: Members) => void;

const EMPTY: Members = {};
const writer = new BackwardWriter();
const encoders = new WeakMap<StructSchema, BodyEncoder>();

/**
 * The binary form of an object, without envelope; `apiVersion` and `kind` are not part of it.
 * Fields that are no pointers are always written, keys of maps in byte order.
 * @throws ProtobufError for values that their schema does not allow, and for structs without a binary form
 */
export function encodeObject(schema: StructSchema, object: object): Buffer {
  writer.reset();
  try {
    bodyEncoder(schema)(writer, object);
  } catch (error) {
    throw error instanceof ProtobufError ? error : new ProtobufError(`${schema.id}: ${messageOf(error)}`);
  }
  return writer.finish();
}

const isUnset = (value: unknown): value is undefined | null => value === undefined || value === null;
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function bodyEncoder(schema: StructSchema): BodyEncoder {
  let encoder = encoders.get(schema);
  if (!encoder) {
    encoder = compileBody(schema);
    encoders.set(schema, encoder);
  }
  return encoder;
}

function compileBody(schema: StructSchema): BodyEncoder {
  const members = layoutEncoder(layoutOf(schema));
  if (!schema.customJson) return (w, value) => members(w, membersOf(value));
  const { toMembers } = customJsonOf(schema);
  return (w, value) => members(w, toMembers(value));
}

function membersOf(value: unknown): Members {
  if (isUnset(value)) return EMPTY;
  if (typeof value !== 'object' || Array.isArray(value)) throw new ProtobufError('a value is not an object');
  return value as Members;
}

function layoutEncoder(layout: Layout): MemberEncoder {
  const descending = [...layout.members].reverse();
  const steps = descending.map((member) =>
    'field' in member ? fieldEncoder(member.field, member.number) : inlinedEncoder(member.inlined, member.number),
  );
  return (w, members) => {
    for (let i = 0; i < steps.length; i++) (steps[i] as MemberEncoder)(w, members);
  };
}

function inlinedEncoder(layout: Layout, number: number): MemberEncoder {
  const encode = layoutEncoder(layout);
  return (w, members) => {
    const mark = w.size;
    encode(w, members);
    w.delimit(mark, number);
  };
}

function fieldEncoder(field: Field, number: number): MemberEncoder {
  const { name, schema } = field;
  if (schema.kind === 'map') return mapEncoder(name, schema, number);
  if (schema.kind === 'list' && !schema.wrapped) return listEncoder(name, schema.items, number);
  const encode = valueEncoder(schema, number);
  // Byte slices and wrapped lists tell unset from empty without being pointers.
  const always = !field.pointer && schema.kind !== 'bytes' && schema.kind !== 'list';
  if (always) return (w, members) => encode(w, members[name]);
  return (w, members) => {
    const value = members[name];
    if (!isUnset(value)) encode(w, value);
  };
}

function listEncoder(name: string, items: Schema, number: number): MemberEncoder {
  const encode = valueEncoder(items, number);
  return (w, members) => {
    const value = members[name];
    if (isUnset(value)) return;
    if (!Array.isArray(value)) throw new ProtobufError(`${name} is not a list`);
    for (let i = value.length - 1; i >= 0; i--) encode(w, value[i]);
  };
}

function mapEncoder(name: string, { values }: MapSchema, number: number): MemberEncoder {
  const encodeKey = SCALAR_ENCODERS.string(1);
  const encodeValue = valueEncoder(values, 2);
  // Byte slices tell unset from empty.
  const leavesOutNull = values.kind === 'bytes';
  return (w, members) => {
    const map = membersOf(members[name]);
    const keys = sortedKeys(map);
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] as string;
      const mark = w.size;
      if (!leavesOutNull || !isUnset(map[key])) encodeValue(w, map[key]);
      encodeKey(w, key);
      w.delimit(mark, number);
    }
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: tells ASCII from the rest
const ASCII = /^[\x00-\x7f]*$/;

/** Byte order of UTF-8, which differs from the language's order only beyond ASCII. */
function sortedKeys(map: Members): string[] {
  const keys = Object.keys(map);
  if (keys.length < 2) return keys;
  if (keys.every((key) => ASCII.test(key))) return keys.sort();
  return keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Encoder of a single value with its tag: a member, an item of a list, or the value of a map's key. */
function valueEncoder(schema: Schema, number: number): ValueEncoder {
  switch (schema.kind) {
    case 'struct':
      return structEncoder(schema, number);
    case 'list': {
      if (!schema.wrapped) throw new ProtobufError('a list within a list or map has no binary form');
      const encodeItems = listEncoder('items', schema.items, 1);
      return (w, value) => {
        const mark = w.size;
        encodeItems(w, { items: value });
        w.delimit(mark, number);
      };
    }
    case 'map':
      throw new ProtobufError('a map within a list or map has no binary form');
    default:
      return SCALAR_ENCODERS[schema.kind](number);
  }
}

function structEncoder(schema: StructSchema, number: number): ValueEncoder {
  // Looked up on first use: structs may hold themselves.
  let encode: BodyEncoder | undefined;
  return (w, value) => {
    encode ??= bodyEncoder(schema);
    const mark = w.size;
    w.enter();
    encode(w, value);
    w.leave();
    w.delimit(mark, number);
  };
}
