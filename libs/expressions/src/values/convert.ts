import { parseDuration } from '@orch/machinery';
import { duration, int, timestamp, uint } from './arithmetic.js';
import { formatDouble, plain } from './strings.js';
import { formatTimestamp, parseTimestamp, secondsOf, timestampOfSeconds } from './times.js';
import { Duration, Failure, Opaque, Timestamp, TypeValue, typeNameOf, Uint, type Value } from './value.js';

/** Names of the conversion functions, with the name of their result type. */
export const CONVERSIONS: ReadonlyMap<string, string> = new Map([
  ['bool', 'bool'],
  ['bytes', 'bytes'],
  ['double', 'double'],
  ['duration', 'google.protobuf.Duration'],
  ['int', 'int'],
  ['string', 'string'],
  ['timestamp', 'google.protobuf.Timestamp'],
  ['uint', 'uint'],
]);

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const NAMED_DOUBLE = /^([+-]?)(?:(inf|infinity)|(nan))$/i;
/** Digits of the longest text that is parsed as an integer; longer ones exceed 64 bits. */
const LONGEST_INTEGER = 400;

/** Converts the value to a type; a failure if that is not possible. */
export function convert(value: Value, name: string): Value {
  const type = CONVERSIONS.get(name) as string;
  if (value instanceof Failure) return value;
  const converted = typeNameOf(value) === type ? value : convertOther(value, name);
  return converted ?? new Failure(`type conversion error from '${typeNameOf(value)}' to '${type}'`);
}

function convertOther(value: Value, name: string): Value | undefined {
  if (typeof value === 'string') return fromString(value, name);
  if (name === 'string') return toText(value);
  if (typeof value === 'bigint') return fromInt(value, name);
  if (typeof value === 'number') return fromDouble(value, name);
  if (value instanceof Uint) return fromUint(value.value, name);
  if (value instanceof Timestamp && name === 'int') return secondsOf(value);
  return value instanceof Duration && name === 'int' ? value.nanoseconds : undefined;
}

function fromInt(value: bigint, name: string): Value | undefined {
  if (name === 'uint') return uint(value);
  if (name === 'double') return Number(value);
  return name === 'timestamp' ? timestampOfSeconds(value) : undefined;
}

function fromUint(value: bigint, name: string): Value | undefined {
  if (name === 'int') return int(value);
  return name === 'double' ? Number(value) : undefined;
}

function fromDouble(value: number, name: string): Value | undefined {
  if (name === 'int') {
    const outside = Number.isNaN(value) || value <= -(2 ** 63) || value >= 2 ** 63;
    return outside ? new Failure('integer overflow') : BigInt(Math.trunc(value));
  }
  if (name !== 'uint') return undefined;
  const outside = Number.isNaN(value) || value < 0 || value >= 2 ** 64;
  return outside ? new Failure('unsigned integer overflow') : new Uint(BigInt(Math.trunc(value)));
}

function fromString(text: string, name: string): Value | undefined {
  switch (name) {
    case 'int':
      return number(/^[+-]?\d+$/, text, int);
    case 'uint':
      return number(/^\d+$/, text, uint);
    case 'double':
      return toDouble(text);
    case 'bool':
      return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined;
    case 'bytes':
      return new Uint8Array(Buffer.from(text));
    case 'duration':
      return read(() => duration(parseDuration(text)));
    case 'timestamp':
      return read(() => {
        const { nanoseconds, offset } = parseTimestamp(text);
        return timestamp(nanoseconds, offset);
      });
  }
  return undefined;
}

function number(form: RegExp, text: string, checked: (value: bigint) => Value): Value | undefined {
  if (!form.test(text) || text.length > LONGEST_INTEGER) return undefined;
  const value = checked(BigInt(text.replace(/^\+/, '')));
  return value instanceof Failure ? undefined : value;
}

function toDouble(text: string): number | undefined {
  const named = NAMED_DOUBLE.exec(text);
  if (named)
    return named[3] === undefined
      ? named[1] === '-'
        ? Number.NEGATIVE_INFINITY
        : Number.POSITIVE_INFINITY
      : Number.NaN;
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Returns the parsed value; undefined if the text has another form. */
function read(reader: () => Value): Value | undefined {
  try {
    return reader();
  } catch {
    return undefined;
  }
}

function toText(value: Value): Value | undefined {
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return formatDouble(value);
  if (value === null) return 'null';
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return decoded(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return `${plain(secondsIn(value))}s`;
  return value instanceof TypeValue ? value.name : undefined;
}

const secondsIn = ({ nanoseconds }: Duration): number =>
  Number(nanoseconds / 1_000_000_000n) + Number(nanoseconds % 1_000_000_000n) / 1e9;

function decoded(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new Failure('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** `type(value)`. */
export function typeOfValue(value: Value): Value {
  if (value instanceof Failure) return value;
  return value instanceof Opaque && value.typeName === '' ? new Failure('no type') : new TypeValue(typeNameOf(value));
}
