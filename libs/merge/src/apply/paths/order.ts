import type { JsonValue } from '@orch/machinery';
import type { Steps } from '../steps.js';
import { sortInSteps } from './sort-in-steps.js';

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;

/**
 * Compares texts by their UTF-8 bytes, which differs from the order of UTF-16 for surrogates and the units behind them.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return byteOrder(x) - byteOrder(y);
  }
  return a.length - b.length;
}

const FROM_SURROGATES = /[\ud800-\uffff]/;

/**
 * Sorts texts by {@link compareText}, in place. Without surrogates the order of UTF-16 is the same, at a fraction of
 * the cost.
 */
export const sortTexts = (texts: string[]): string[] =>
  texts.some((text) => FROM_SURROGATES.test(text)) ? texts.sort(compareText) : texts.sort();

/** Same as {@link sortTexts}, of a copy. */
export function sortTextsInSteps(texts: readonly string[]): Steps<string[]> {
  if (texts.some((text) => FROM_SURROGATES.test(text))) return sortInSteps(texts, sortTexts, compareText);
  return sortInSteps(texts, sortTexts, (a, b) => (a < b ? -1 : Number(a > b)));
}

/** Surrogates represent code points beyond U+FFFF, so they sort behind all others. */
function byteOrder(unit: number): number {
  if (unit < SURROGATES) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x10000 : unit;
}

/** Order of values of different forms: numbers, texts, booleans, lists, objects, null. */
function rank(value: JsonValue): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 0;
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    default:
      return value === null ? 5 : Array.isArray(value) ? 3 : 4;
  }
}

/** A total order of values; numbers by value, objects by their sorted members. */
export function compareValues(a: JsonValue, b: JsonValue): number {
  if (a === b) return 0;
  const difference = rank(a) - rank(b);
  if (difference !== 0) return difference;
  if (typeof a === 'string') return compareText(a, b as string);
  if (Array.isArray(a)) return compareLists(a, b as JsonValue[]);
  if (typeof a === 'object' && a !== null) return compareLists(membersOf(a), membersOf(b as typeof a));
  return Number((a as number) > (b as number)) - Number((a as number) < (b as number));
}

function compareLists(a: readonly JsonValue[], b: readonly JsonValue[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareValues(a[i] ?? null, b[i] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Names and values in turn, by name. */
const membersOf = (object: { readonly [name: string]: JsonValue | undefined }): JsonValue[] =>
  Object.keys(object)
    .sort(compareText)
    .flatMap((name) => [name, object[name] ?? null]);
