import { stringifyJson } from '@orch/codec';
import { goNumber, type JsonValue } from '@orch/machinery';
import type { RowEffort } from './evaluate.js';

/** Characters that are written in about the time in which a value is passed over, each of them as an escape. */
const CHARACTERS_OF_VALUE = 16;
/** Values that are passed over in about the time in which a name is put in order and written. */
const VALUES_OF_NAME = 5;

/**
 * What is found, as a column of texts shows it: lists and objects as Go's JSON, members in order. Null for what is more than is left to
 * its row.
 */
export function shownText(value: JsonValue, row: RowEffort): string | null {
  if (value === null) return '<no value>';
  passOver(value, row);
  if (row.isSpent) return null;
  if (typeof value === 'object') return escaped(written(value));
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** Counts what is to be written, no further than to what is too much. */
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

/** Go's JSON, members in order. */
function written(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return stringifyJson(value);
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  const members = inOrder(Object.keys(value)).map(
    (name) => `${stringifyJson(name)}:${written(value[name] as JsonValue)}`,
  );
  return `{${members.join()}}`;
}

const FROM_SURROGATES = /[\ud800-\uffff]/;

/** In the order of their bytes in UTF-8. Without surrogates it is that of UTF-16, which costs a fraction. */
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

/** One character after the other: to ask for each place what it is takes ten times as long. */
const escaped = (json: string): string =>
  ESCAPES.reduce((text, [sign, shown]) => (text.includes(sign) ? text.split(sign).join(shown) : text), json);
