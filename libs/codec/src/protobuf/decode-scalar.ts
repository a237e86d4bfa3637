import { canonicalQuantity, formatDuration, formatMicroTime, withText } from '@orch/machinery';
import type { ScalarKind } from '@orch/schema';
import { parseJson } from '../json/parse-json.js';
import { ProtobufError } from './protobuf-error.js';
import { formatSeconds } from './timestamp.js';
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT } from './wire.js';
import type { WireReader } from './wire-reader.js';

/** Decodes the values of a scalar type. */
export interface ScalarDecoder {
  readonly wireType: number;
  /** Returns undefined for an unset value. */
  readonly read: (reader: WireReader) => unknown;
  /** Value for an unset one in lists and maps. */
  readonly zero: unknown;
}

/** Reads the first fields of a message of leaves; later ones of the same number win. */
function readMessage(reader: WireReader, field: (number: number, wireType: number) => boolean): void {
  const outer = reader.enter();
  while (reader.pos < reader.end) {
    const tag = reader.uint32();
    if (!field(tag >>> 3, tag & 7)) reader.skip(tag & 7);
  }
  reader.leave(outer);
}

const SECONDS_MIN = -62135596800;
const SECONDS_MAX = 253402300799;

/**
 * Reads seconds within years 1 to 9999 and nanoseconds; undefined for the zero time, which is written as nothing or as
 * itself.
 */
function readTimestamp(reader: WireReader): { seconds: number; nanos: number } | undefined {
  let seconds: number | bigint = 0;
  let nanos = 0;
  let empty = true;
  readMessage(reader, (number, wireType) => {
    empty = false;
    if (wireType !== VARINT) return false;
    if (number === 1) seconds = reader.int64();
    else if (number === 2) nanos = reader.uint32() | 0;
    else return false;
    return true;
  });
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX || nanos < 0 || nanos > 999_999_999) {
    throw new ProtobufError('a time is out of range');
  }
  const whole = Number(seconds);
  return empty || whole === SECONDS_MIN ? undefined : { seconds: whole, nanos };
}

const readTime = (reader: WireReader): string | undefined => {
  const time = readTimestamp(reader);
  return time && formatSeconds(time.seconds);
};

const readMicroTime = (reader: WireReader): string | undefined => {
  const time = readTimestamp(reader);
  if (!time) return undefined;
  const micros = Math.floor(time.nanos / 1000);
  return formatMicroTime(time.seconds * 1000 + Math.floor(micros / 1000), micros % 1000);
};

const readDuration = (reader: WireReader): string => {
  let nanos: number | bigint = 0;
  readMessage(reader, (number, wireType) => {
    if (number !== 1 || wireType !== VARINT) return false;
    nanos = reader.int64();
    return true;
  });
  return formatDuration(BigInt(nanos));
};

const readQuantity = (reader: WireReader): string => {
  let text = '';
  readMessage(reader, (number, wireType) => {
    if (number !== 1 || wireType !== LENGTH_DELIMITED) return false;
    text = reader.string();
    return true;
  });
  return text === '' ? '0' : canonicalQuantity(text);
};

const readIntOrString = (reader: WireReader): number | string => {
  let isText = false;
  let number = 0;
  let text = '';
  readMessage(reader, (field, wireType) => {
    if (field === 1 && wireType === VARINT) isText = reader.uint32() !== 0;
    else if (field === 2 && wireType === VARINT) number = reader.uint32() | 0;
    else if (field === 3 && wireType === LENGTH_DELIMITED) text = reader.string();
    else return false;
    return true;
  });
  return isText ? text : number;
};

/** Reads the JSON text in field 1; undefined for none. */
function readText(reader: WireReader): Buffer | undefined {
  let raw: Buffer | undefined;
  readMessage(reader, (number, wireType) => {
    if (number !== 1 || wireType !== LENGTH_DELIMITED) return false;
    raw = reader.bytes();
    return true;
  });
  return raw === undefined || raw.length === 0 ? undefined : raw;
}

function parsed(text: Buffer | string, reader: WireReader): unknown {
  const { value, values } = parseJson(text, { maxValues: reader.left });
  reader.count(values);
  return value ?? undefined;
}

const readJson = (reader: WireReader): unknown => {
  const raw = readText(reader);
  return raw && parsed(raw, reader);
};

/** Reads a value whose text is preserved. */
const readOpaque = (reader: WireReader): unknown => {
  const text = readText(reader)?.toString();
  return text === undefined ? undefined : withText(parsed(text, reader), text);
};

const varint = (read: (reader: WireReader) => unknown, zero: unknown): ScalarDecoder => ({
  wireType: VARINT,
  read,
  zero,
});
const delimited = (read: (reader: WireReader) => unknown, zero: unknown): ScalarDecoder => ({
  wireType: LENGTH_DELIMITED,
  read,
  zero,
});

/** Decoders of the leaves of the model, to the form that reading JSON gives them. */
export const SCALAR_DECODERS: Readonly<Record<ScalarKind, ScalarDecoder>> = {
  string: delimited((reader) => reader.string(), ''),
  bytes: delimited((reader) => reader.bytes().toString('base64'), ''),
  bool: varint((reader) => reader.uint32() !== 0, false),
  int32: varint((reader) => reader.uint32() | 0, 0),
  int64: varint((reader) => reader.int64(), 0),
  uint32: varint((reader) => reader.uint32(), 0),
  uint64: varint((reader) => reader.uint64(), 0),
  float: { wireType: FIXED32, read: (reader) => finite(reader.float()), zero: 0 },
  double: { wireType: FIXED64, read: (reader) => finite(reader.double()), zero: 0 },
  time: delimited(readTime, null),
  microTime: delimited(readMicroTime, null),
  duration: delimited(readDuration, '0s'),
  quantity: delimited(readQuantity, '0'),
  intOrString: delimited(readIntOrString, 0),
  rawExtension: delimited(readOpaque, null),
  fieldsV1: delimited(readJson, null),
  json: delimited(readJson, null),
};

/** JSON has no infinities. */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw new ProtobufError('a number is not finite');
  return value;
}
