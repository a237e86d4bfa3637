import {
  canonicalQuantity,
  formatDuration,
  type JsonValue,
  normalizeMicroTime,
  normalizeTime,
  parseDuration,
} from '@orch/machinery';
import type { ScalarKind } from '@orch/schema';
import { MISMATCH, ObjectReadError, type SchemaReader } from './read-state.js';

const INT32 = [-(2n ** 31n), 2n ** 31n - 1n] as const;
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;
const UINT32 = [0n, 2n ** 32n - 1n] as const;
const UINT64 = [0n, 2n ** 64n - 1n] as const;

function integer([min, max]: readonly [bigint, bigint]): SchemaReader {
  const [low, high] = [Number(min), Number(max)];
  return (value) => {
    if (typeof value === 'number') {
      return Number.isSafeInteger(value) && value >= low && value <= high ? value : MISMATCH;
    }
    return typeof value === 'bigint' && value >= min && value <= max ? value : MISMATCH;
  };
}

const ofType =
  (type: 'string' | 'boolean'): SchemaReader =>
  (value) =>
    typeof value === type ? value : MISMATCH;

const float: SchemaReader = (value) =>
  typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : MISMATCH;

/** Reads a text that a function brings into its printed form, with the function's errors. */
const normalized =
  (normalize: (text: string) => string): SchemaReader =>
  (value) =>
    typeof value === 'string' ? normalize(value) : MISMATCH;

/** An unset time. */
const ZERO_TIME = /^0001-01-01T00:00:00(?:\.0+)?Z$/;

const timeReader =
  (normalize: (text: string) => string): SchemaReader =>
  (value) => {
    if (typeof value !== 'string') return MISMATCH;
    const time = normalize(value);
    return time.startsWith('0001-') && ZERO_TIME.test(time) ? undefined : time;
  };

/** Trims spaces; other white space stays. */
function withoutSpaces(text: string): string {
  if (!text.startsWith(' ') && !text.endsWith(' ')) return text;
  let [from, to] = [0, text.length];
  while (text[from] === ' ') from++;
  while (to > from && text[to - 1] === ' ') to--;
  return text.slice(from, to);
}

const quantity: SchemaReader = (value) => {
  if (typeof value === 'string') return canonicalQuantity(withoutSpaces(value));
  return typeof value === 'number' || typeof value === 'bigint' ? canonicalQuantity(String(value)) : MISMATCH;
};

const int32 = integer(INT32);
const intOrString: SchemaReader = (value, state) => (typeof value === 'string' ? value : int32(value, state));

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const bytes: SchemaReader = (value) => {
  if (typeof value !== 'string') return MISMATCH;
  const text = value.includes('\n') || value.includes('\r') ? value.replace(/[\r\n]/g, '') : value;
  if (text.length % 4 === 0 && BASE64.test(text)) return text;
  const valid = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  throw new ObjectReadError(`illegal base64 data at input byte ${valid}`);
};

const anything: SchemaReader = (value) => value;
const anyObject: SchemaReader = (value) => (typeof value === 'object' && !Array.isArray(value) ? value : MISMATCH);

/** Readers of the leaves of the model. */
export const SCALAR_READERS: Readonly<Record<ScalarKind, SchemaReader>> = {
  string: ofType('string'),
  bool: ofType('boolean'),
  int32,
  int64: integer(INT64),
  uint32: integer(UINT32),
  uint64: integer(UINT64),
  float,
  double: float,
  bytes,
  time: timeReader(normalizeTime),
  microTime: timeReader(normalizeMicroTime),
  duration: normalized((text) => formatDuration(parseDuration(text))),
  quantity,
  intOrString,
  rawExtension: anything,
  fieldsV1: anyObject,
  json: anything,
};

/** Replacement for a null that cannot be left out: in lists and as the value of a map's key. */
export function zeroOf(kind: ScalarKind): JsonValue {
  switch (kind) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'time':
    case 'microTime':
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
      return null;
    default:
      return 0;
  }
}
