import type { Field, MapSchema, Schema, StructSchema } from '@orch/schema';
import { BackwardWriter } from './backward-writer.js';
import { customJsonOf } from './custom-json.js';
import { SCALAR_ENCODERS, type ValueEncoder } from './encode-scalar.js';
import { type Layout, layoutOf } from './layout.js';
import { ProtobufError } from './protobuf-error.js';

type Members = Readonly<Record<string, unknown>>;
/** Writes the fields of a message, without length and tag. */
type BodyEncoder = (writer: BackwardWriter, value: unknown) => void;
/** Writes fields whose values are in the slots of their names. */
type ValuesEncoder = (writer: BackwardWriter, values: readonly unknown[]) => void;

const EMPTY: Members = {};
const writer = new BackwardWriter();
const encoders = new WeakMap<StructSchema, BodyEncoder>();

/**
 * Encodes an object in its binary form, without envelope; `apiVersion` and `kind` are not part of it. Fields that are
 * no pointers are always written, keys of maps in byte order.
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
  const slots = new Map([...schema.fields.keys()].map((name, slot) => [name, slot]));
  const encode = layoutEncoder(layoutOf(schema), slots);
  const none = new Array<undefined>(slots.size).fill(undefined);
  const custom = schema.customJson ? customJsonOf(schema) : undefined;
  return (w, value) => {
    const members = custom ? custom.toMembers(value) : membersOf(value);
    // Most objects have few members: iterating over them costs less than looking every field up by name.
    const values: unknown[] = none.slice();
    for (const name of Object.keys(members)) {
      const slot = slots.get(name);
      if (slot !== undefined) values[slot] = members[name];
    }
    encode(w, values);
  };
}

function membersOf(value: unknown): Members {
  if (isUnset(value)) return EMPTY;
  if (typeof value !== 'object' || Array.isArray(value)) throw new ProtobufError('a value is not an object');
  return value as Members;
}

function layoutEncoder(layout: Layout, slots: ReadonlyMap<string, number>): ValuesEncoder {
  const descending = [...layout.members].reverse();
  const steps = descending.map((member) =>
    'field' in member
      ? slotEncoder(member.field, member.number, slots)
      : inlinedEncoder(member.inlined, member.number, slots),
  );
  return (w, values) => {
    for (let i = 0; i < steps.length; i++) (steps[i] as ValuesEncoder)(w, values);
  };
}

function inlinedEncoder(layout: Layout, number: number, slots: ReadonlyMap<string, number>): ValuesEncoder {
  const encode = layoutEncoder(layout, slots);
  return (w, values) => {
    const mark = w.size;
    encode(w, values);
    w.delimit(mark, number);
  };
}

function slotEncoder(field: Field, number: number, slots: ReadonlyMap<string, number>): ValuesEncoder {
  const encode = fieldEncoder(field, number);
  const slot = slots.get(field.name) ?? -1;
  return isAlwaysWritten(field)
    ? (w, values) => encode(w, values[slot])
    : (w, values) => {
        const value = values[slot];
        if (!isUnset(value)) encode(w, value);
      };
}

/** Byte slices, lists and maps distinguish unset from empty without being pointers. */
const isAlwaysWritten = ({ pointer, schema: { kind } }: Field): boolean =>
  !pointer && kind !== 'bytes' && kind !== 'list' && kind !== 'map';

function fieldEncoder({ name, schema }: Field, number: number): ValueEncoder {
  if (schema.kind === 'map') return mapEncoder(schema, number);
  if (schema.kind === 'list' && !schema.wrapped) return listEncoder(name, schema.items, number);
  return valueEncoder(schema, number);
}

function listEncoder(name: string, items: Schema, number: number): ValueEncoder {
  const encode = valueEncoder(items, number);
  return (w, value) => {
    if (isUnset(value)) return;
    if (!Array.isArray(value)) throw new ProtobufError(`${name} is not a list`);
    for (let i = value.length - 1; i >= 0; i--) encode(w, value[i]);
  };
}

function mapEncoder({ values }: MapSchema, number: number): ValueEncoder {
  const encodeKey = SCALAR_ENCODERS.string(1);
  const encodeValue = valueEncoder(values, 2);
  const leavesOutNull = values.kind === 'bytes';
  return (w, value) => {
    const map = membersOf(value);
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

/** Returns the encoder of a single value with its tag: a member, an item of a list, or the value of a map's key. */
function valueEncoder(schema: Schema, number: number): ValueEncoder {
  switch (schema.kind) {
    case 'struct':
      return structEncoder(schema, number);
    case 'list': {
      if (!schema.wrapped) throw new ProtobufError('a list within a list or map has no binary form');
      const encodeItems = listEncoder('items', schema.items, 1);
      return (w, value) => {
        const mark = w.size;
        encodeItems(w, value);
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
  // Looked up on first use: structs may contain themselves.
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
