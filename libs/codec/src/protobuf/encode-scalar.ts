import { normalizeMicroTime, parseDuration } from '@orch/machinery';
import type { ScalarKind } from '@orch/schema';
import { opaqueJson } from '../json/opaque-json.js';
import { stringifyJson } from '../json/stringify-json.js';
import type { BackwardWriter } from './backward-writer.js';
import { ProtobufError } from './protobuf-error.js';
import { secondsOf } from './timestamp.js';
import { FIXED32, FIXED64, LENGTH_DELIMITED, tagOf, VARINT } from './wire.js';

/** Writes a value with its tag; null and undefined are written as zero. */
export type ValueEncoder = (writer: BackwardWriter, value: unknown) => void;

type Write = (writer: BackwardWriter, value: unknown) => void;

const wrong = (expected: string) => new ProtobufError(`a value is not ${expected}`);

const text = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  throw wrong('a text');
};

const integer = (value: unknown): number | bigint => {
  if (typeof value === 'bigint' || Number.isInteger(value)) return value as number | bigint;
  if (value === undefined || value === null) return 0;
  throw wrong('a whole number');
};

const float = (value: unknown): number => {
  if (typeof value === 'number') return value;
  if (value === undefined || value === null) return 0;
  throw wrong('a number');
};

const bool = (value: unknown): number => {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined || value === null) return 0;
  throw wrong('true or false');
};

const isUnset = (value: unknown): value is undefined | null => value === undefined || value === null;

const writeInteger: Write = (writer, value) => writer.int64(integer(value));

/** Writes seconds and nanoseconds since 1970, in fields 1 and 2; an unset time is an empty message. */
function writeTimestamp(writer: BackwardWriter, seconds: number, nanos: number): void {
  writer.uint32(nanos);
  writer.uint32(tagOf(2, VARINT));
  writer.int64(seconds);
  writer.uint32(tagOf(1, VARINT));
}

const writeTime: Write = (writer, value) => {
  if (!isUnset(value)) writeTimestamp(writer, secondsOf(text(value)), 0);
};

const writeMicroTime: Write = (writer, value) => {
  if (isUnset(value)) return;
  const canonical = normalizeMicroTime(text(value));
  const micros = Number(canonical.slice(-7, -1));
  writeTimestamp(writer, secondsOf(canonical), micros * 1000);
};

const writeDuration: Write = (writer, value) => {
  writer.int64(isUnset(value) ? 0 : parseDuration(text(value)));
  writer.uint32(tagOf(1, VARINT));
};

const writeQuantity: Write = (writer, value) => {
  writer.string(isUnset(value) ? '0' : text(value));
  writer.uint32(tagOf(1, LENGTH_DELIMITED));
};

const writeIntOrString: Write = (writer, value) => {
  const isText = typeof value === 'string';
  writer.string(isText ? value : '');
  writer.uint32(tagOf(3, LENGTH_DELIMITED));
  writer.int64(isText ? 0 : integer(value));
  writer.uint32(tagOf(2, VARINT));
  writer.uint32(isText ? 1 : 0);
  writer.uint32(tagOf(1, VARINT));
};

/** Writes the JSON text in field 1; nothing for null. */
const writeText =
  (textOf: (value: unknown) => string): Write =>
  (writer, value) => {
    if (isUnset(value)) return;
    writer.string(textOf(value));
    writer.uint32(tagOf(1, LENGTH_DELIMITED));
  };

const writeJson = writeText(stringifyJson);

const plain =
  (wireType: number, write: Write) =>
  (number: number): ValueEncoder => {
    const tag = tagOf(number, wireType);
    return (writer, value) => {
      write(writer, value);
      writer.uint32(tag);
    };
  };

const message =
  (write: Write) =>
  (number: number): ValueEncoder =>
  (writer, value) => {
    const mark = writer.size;
    write(writer, value);
    writer.delimit(mark, number);
  };

/** Encoders of the leaves of the model, by the number of their field. */
export const SCALAR_ENCODERS: Readonly<Record<ScalarKind, (number: number) => ValueEncoder>> = {
  string: plain(LENGTH_DELIMITED, (writer, value) => writer.string(text(value))),
  bytes: plain(LENGTH_DELIMITED, (writer, value) => writer.base64(text(value))),
  bool: plain(VARINT, (writer, value) => writer.uint32(bool(value))),
  int32: plain(VARINT, writeInteger),
  int64: plain(VARINT, writeInteger),
  uint32: plain(VARINT, writeInteger),
  uint64: plain(VARINT, writeInteger),
  float: plain(FIXED32, (writer, value) => writer.float(float(value))),
  double: plain(FIXED64, (writer, value) => writer.double(float(value))),
  time: message(writeTime),
  microTime: message(writeMicroTime),
  duration: message(writeDuration),
  quantity: message(writeQuantity),
  intOrString: message(writeIntOrString),
  rawExtension: message(writeText(opaqueJson)),
  fieldsV1: message(writeJson),
  json: message(writeJson),
};
