import { memberOf } from '@orch/machinery';
import { isObject } from './fields.js';

/**
 * Whether two values that came from JSON mean the same. As for the reference system, an absent member equals an
 * empty list or map that is not a member of its own.
 */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) return equalLists(a, b);
  if (isObject(a) && isObject(b)) return equalObjects(a, b);
  if (typeof a === 'bigint' || typeof b === 'bigint') return sameInteger(a, b);
  return (a ?? undefined) === (b ?? undefined);
}

function equalLists(a: unknown, b: unknown): boolean {
  const left = a ?? [];
  const right = b ?? [];
  return (
    Array.isArray(left) &&
    Array.isArray(right) &&
    left.length === right.length &&
    left.every((item, index) => equal(item, right[index]))
  );
}

function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let shared = 0;
  for (const name of Object.keys(a)) {
    const value = a[name];
    // What is inherited is no value that came from JSON: what is the same is b's own.
    if (value !== undefined && value === b[name]) shared++;
    else if (!equal(value, memberOf(b, name))) return false;
    else if (Object.hasOwn(b, name)) shared++;
  }
  const names = Object.keys(b);
  return names.length === shared || names.every((name) => Object.hasOwn(a, name) || equal(undefined, b[name]));
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** int64 travels as bigint only beyond 2^53, so the same number may come in both types. */
const sameInteger = (a: unknown, b: unknown): boolean => isNumber(a) && isNumber(b) && !(a < b) && !(a > b);
