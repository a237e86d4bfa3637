import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';

/** Whether a value is a JSON object. */
export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A deep copy. */
export function cloneJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson);
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) setMember<JsonValue | undefined>(copy, name, cloneJson(member));
  }
  return copy;
}

/** Copies deeply, without null members; items of lists are kept. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined && member !== null) setMember<JsonValue | undefined>(copy, name, withoutNulls(member));
  }
  return copy;
}

/** Deep equality; the order of members is ignored, and 1 equals 1n. */
export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    return (typeof a === 'number' || typeof b === 'number') && String(a) === String(b);
  }
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalJson(a[name], b[name]))
  );
}

/** Approximate bytes of a value as compact JSON (characters are counted as one byte). */
export function jsonSize(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + jsonSize(item) + 1, 2);
  let size = 2;
  for (const [name, member] of Object.entries(value)) size += name.length + 4 + jsonSize(member ?? null);
  return size;
}

/** Freezes a value, down to its leaves. */
export function frozen<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member ?? null);
  return Object.freeze(value);
}
