import { isInt64 } from '@orch/machinery';
import { Dictionary, List, Uint, type Value } from '../values/value.js';

/** Decoded JSON: numbers beyond 2^53 are bigint. */
export type Raw = unknown;

/** An object of JSON. */
export type RawObject = Readonly<Record<string, Raw>>;

/** Whether decoded JSON is an object. */
export const isRawObject = (raw: Raw): raw is RawObject =>
  typeof raw === 'object' && raw !== null && [Object.prototype, null].includes(Object.getPrototypeOf(raw));

/** Values that were made from JSON and keep it. */
interface HasRaw {
  readonly raw: Raw;
}

const hasRaw = (value: object): value is HasRaw => 'raw' in value;

/** Returns the JSON of a value; the value itself if it has none, which no schema then accepts. */
export function rawOf(value: Value): Raw {
  if (value instanceof Uint) return value.value;
  if (value instanceof List || value instanceof Dictionary) {
    if (hasRaw(value)) return value.raw;
    if (value instanceof List) return Array.from({ length: value.size }, (_, i) => rawOf(value.at(i)));
  }
  return value;
}

/** Key that distinguishes scalars of JSON in a map. */
export const keyOfRaw = (raw: Raw): unknown => (typeof raw === 'number' && Number.isInteger(raw) ? BigInt(raw) : raw);

/** Whether two JSON values are equal. */
export function sameRaw(a: Raw, b: Raw): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameRaw(item, b[i]));
  if (!isRawObject(a)) return keyOfRaw(a) === keyOfRaw(b);
  if (!isRawObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && sameRaw(a[key], b[key]));
}

/** Returns the Go name of a JSON value's type, for messages. */
export function nativeTypeName(raw: Raw): string {
  if (Array.isArray(raw)) return '[]interface {}';
  switch (typeof raw) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return isInt64(raw) ? 'int64' : 'float64';
    case 'number':
      return Number.isSafeInteger(raw) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}
