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

/** Most members are the same leaves: whose they are is only asked of the others. */
function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  for (const name in a) if (a[name] !== b[name] && !equal(a[name], memberOf(b, name))) return false;
  for (const name in b) if (a[name] !== b[name] && !Object.hasOwn(a, name) && !equal(undefined, b[name])) return false;
  return true;
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** int64 travels as bigint only beyond 2^53, so the same number may come in both types. */
const sameInteger = (a: unknown, b: unknown): boolean => isNumber(a) && isNumber(b) && !(a < b) && !(a > b);
