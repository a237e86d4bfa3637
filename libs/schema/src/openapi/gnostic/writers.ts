import type { JsonObject, JsonValue } from '@orch/machinery';
import protobuf from 'protobufjs/minimal.js';
import type { Steps } from '../../structural/index.js';

/** Writes a member: a plain value, or a message of its own. */
export type Write = (writer: protobuf.Writer, tag: number, value: JsonValue) => void;

/** A member of a message. */
interface Member {
  readonly number: number;
  readonly write: Write;
}

/** Members of a message by their JSON name. */
export type Message = Readonly<Record<string, Member>>;

const LENGTH_DELIMITED = 2;
const key = (number: number): number => (number << 3) | LENGTH_DELIMITED;
const varintKey = (number: number): number => number << 3;
const doubleKey = (number: number): number => (number << 3) | 1;

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const string: Write = (writer, tag, value) => void writer.uint32(key(tag)).string(String(value));
export const bool: Write = (writer, tag, value) => void (value === true && writer.uint32(varintKey(tag)).bool(true));

export const double: Write = (writer, tag, value) => void writer.uint32(doubleKey(tag)).double(Number(value));
export const integer: Write = (writer, tag, value) => void writer.uint32(varintKey(tag)).int64(Number(value));

export const repeated =
  (write: Write): Write =>
  (writer, tag, value) => {
    if (Array.isArray(value)) for (const item of value) write(writer, tag, item);
  };

/** Writes a length-delimited message whose contents `fill` writes. */
function nested(writer: protobuf.Writer, tag: number, fill: (writer: protobuf.Writer) => void): void {
  writer.uint32(key(tag)).fork();
  fill(writer);
  writer.ldelim();
}

/** Writes a value of any kind as YAML text, of which JSON is a subset. */
export const any: Write = (writer, tag, value) =>
  nested(writer, tag, (inner) => void inner.uint32(key(2)).string(JSON.stringify(value)));

/** Writes an entry of a map: the name and the value under numbers 1 and 2. */
const named = (writer: protobuf.Writer, tag: number, name: string, value: JsonValue, write: Write): void =>
  nested(writer, tag, (inner) => {
    inner.uint32(key(1)).string(name);
    write(inner, 2, value);
  });

/** Writes a map as a message of its own with its entries under `entries`. */
export const map =
  (write: Write, entries = 1): Write =>
  (writer, tag, value) =>
    nested(writer, tag, (inner) => {
      if (isObject(value))
        for (const [name, item] of Object.entries(value)) named(inner, entries, name, item ?? null, write);
    });

/** Writes an object as a message; members that begin with `x-` go under the number for extensions. */
export const message =
  (members: () => Message, extensions: number): Write =>
  (writer, tag, value) =>
    nested(writer, tag, (inner) => writeMembers(inner, value, members(), extensions));

function writeMembers(writer: protobuf.Writer, value: JsonValue, members: Message, extensions: number): void {
  if (!isObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member) member.write(writer, member.number, item);
    else if (name.startsWith('x-')) named(writer, extensions, name, item, any);
    else throw new Error(`OpenAPI member ${name} has no binary form here`);
  }
}

/** Writes a message that only wraps another one, under one of its numbers. */
export const within =
  (number: number, write: Write): Write =>
  (writer, tag, value) =>
    nested(writer, tag, (inner) => write(inner, number, value));

/** Numbers of the forms of a value in its message, which is empty for any other form. */
interface Alternatives {
  readonly object?: readonly [number: number, write: Write];
  readonly number?: number;
  readonly boolean?: number;
  readonly string?: number;
}

/** Writes a message with one of several members, by the value's form; zeros and `false` are written, too. */
export const oneOf =
  ({ object, number, boolean, string: text }: Alternatives): Write =>
  (writer, tag, value) =>
    nested(writer, tag, (inner) => {
      if (object && isObject(value)) object[1](inner, object[0], value);
      else if (number && (typeof value === 'number' || typeof value === 'bigint')) double(inner, number, value);
      else if (boolean && typeof value === 'boolean') inner.uint32(varintKey(boolean)).bool(value);
      else if (text && typeof value === 'string') string(inner, text, value);
    });

/** Consecutive bytes. */
type Pieces = readonly Uint8Array[];
/** Writes a member with very many entries, each in a step. */
type WriteInSteps = (tag: number, value: JsonValue) => Steps<Pieces>;

/** Members of a message that is written in steps, by their JSON name. */
export type LongMessage = Readonly<
  Record<string, Member | { readonly number: number; readonly inSteps: WriteInSteps }>
>;

/** Writes a map as {@link map} does, an entry per step. */
export const longMap = (write: Write, entries = 1): WriteInSteps =>
  function* (tag, value) {
    const pieces: Uint8Array[] = [];
    for (const [name, item] of isObject(value) ? Object.entries(value) : []) {
      const writer = protobuf.Writer.create();
      named(writer, entries, name, item ?? null, write);
      pieces.push(writer.finish());
      yield;
    }
    return nestedPieces(tag, pieces);
  };

/** Writes a message as {@link message} does, with members in steps. */
export const longMessage = (members: LongMessage, extensions: number): WriteInSteps =>
  function* (tag, value) {
    return nestedPieces(tag, yield* piecesOf(value, members, extensions));
  };

/** Encodes a whole document in steps. @throws Error for members that have no number */
export function* encoded(document: JsonObject, members: LongMessage, extensions: number): Steps<Buffer> {
  return Buffer.concat(yield* piecesOf(document, members, extensions));
}

function* piecesOf(value: JsonValue, members: LongMessage, extensions: number): Steps<Pieces> {
  const pieces: Uint8Array[] = [];
  for (const [name, item] of isObject(value) ? Object.entries(value) : []) {
    if (item === undefined) continue;
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member && 'inSteps' in member) {
      for (const piece of yield* member.inSteps(member.number, item)) pieces.push(piece);
      continue;
    }
    const writer = protobuf.Writer.create();
    writeMembers(writer, { [name]: item }, member ? { [name]: member } : {}, extensions);
    pieces.push(writer.finish());
  }
  return pieces;
}

/** Writes a length-delimited message of pieces. */
function nestedPieces(tag: number, pieces: Pieces): Pieces {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [protobuf.Writer.create().uint32(key(tag)).uint32(length).finish(), ...pieces];
}
