import { isInt64, isObject, type Json } from '@orch/machinery';

export { isObject, type Json };

/** Whether a value can have members or elements. */
export const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a number is a 64-bit integer as decoded; larger ones are fractions like others. */
export const isInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' ? isInt64(value) : typeof value === 'number' && Number.isSafeInteger(value);

/** Whether two values are equal except for the order of members. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

/** Formats a number as the reference does in messages: small ones with an exponent of two digits at least. */
export function numberText(value: number | bigint): string {
  if (typeof value === 'bigint' || value === 0 || Math.abs(value) >= 1e-4) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e-');
  return `${digits}e-${exponent.padStart(2, '0')}`;
}

/** Characters that cost as much to compare as one value. */
const CHARACTERS = 16;

/** Returns the cost of comparing a value with another, in comparisons. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + Math.ceil(value.length / CHARACTERS);
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, member]) => sum + sizeOf(name) + sizeOf(member), 1);
}
