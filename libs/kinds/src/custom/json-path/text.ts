import { stringifyJson } from '@orch/codec';
import { goNumber, type JsonValue } from '@orch/machinery';
import type { RowEffort } from './evaluate.js';

/** Number of characters whose output, each as an escape, takes about as long as a visit of a value. */
const CHARACTERS_OF_VALUE = 16;
/** Number of visited values that take about as long as sorting and writing a name. */
const VALUES_OF_NAME = 5;

/**
 * Returns a found value as a column of texts shows it: lists and objects as Go's JSON, members sorted. Null if it
 * exceeds the limit of its row.
 */
export function shownText(value: JsonValue, row: RowEffort): string | null {
  if (value === null) return '<no value>';
  passOver(value, row);
  if (row.isSpent) return null;
  if (typeof value === 'object') return escaped(written(value));
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** Counts the size of a value, until the limit is exceeded. */
function passOver(value: JsonValue, row: RowEffort): void {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined && !row.isSpent; next = open.pop()) {
    row.pass(1 + (typeof next === 'string' ? next.length / CHARACTERS_OF_VALUE : 0));
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next))
      for (const name of Object.keys(next)) row.pass(VALUES_OF_NAME + name.length / CHARACTERS_OF_VALUE);
    for (const part of Object.values(next)) open.push(part);
  }
}

/** Returns a value as Go's JSON, members sorted. */
function written(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return stringifyJson(value);
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  const members = inOrder(Object.keys(value)).map(
    (name) => `${stringifyJson(name)}:${written(value[name] as JsonValue)}`,
  );
  return `{${members.join()}}`;
}

const FROM_SURROGATES = /[\ud800-\uffff]/;

/** Sorts names by their bytes in UTF-8. Without surrogates that is the order of UTF-16, which is much cheaper. */
function inOrder(names: string[]): string[] {
  if (!names.some((name) => FROM_SURROGATES.test(name))) return names.sort();
  const keyed = names.map((name) => ({ name, key: Buffer.from(name).toString('latin1') }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ name }) => name);
}

const ESCAPES = [
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
] as const;

/** Escapes characters as Go does, one replacement after another: a callback for each match takes ten times as long. */
const escaped = (json: string): string =>
  ESCAPES.reduce((text, [sign, shown]) => (text.includes(sign) ? text.split(sign).join(shown) : text), json);
