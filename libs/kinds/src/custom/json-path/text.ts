import { stringifyJson } from '@orch/codec';
import { goNumber, type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import type { RowEffort } from './evaluate.js';

/** Characters that are written in about the time in which a value is passed over. */
const CHARACTERS_OF_VALUE = 64;

/**
 * What is found, as a column of texts shows it: lists and objects as Go's JSON, members in order. Null for what is more than is left to
 * its row.
 */
export function shownText(value: JsonValue, row: RowEffort): string | null {
  if (value === null) return '<no value>';
  passOver(value, row);
  if (row.isSpent) return null;
  if (typeof value === 'object') return escaped(stringifyJson(sorted(value)));
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** Counts what is to be written, no further than to what is too much. */
function passOver(value: JsonValue, row: RowEffort): void {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined && !row.isSpent; next = open.pop()) {
    row.pass(1 + (typeof next === 'string' ? next.length / CHARACTERS_OF_VALUE : 0));
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) for (const name of Object.keys(next)) row.pass(name.length / CHARACTERS_OF_VALUE);
    for (const part of Object.values(next)) open.push(part);
  }
}

function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const made: JsonObject = {};
  for (const name of inOrder(Object.keys(value))) setMember(made, name, sorted(value[name] as JsonValue));
  return made;
}

const FROM_SURROGATES = /[\ud800-\uffff]/;

/** In the order of their bytes in UTF-8. Without surrogates it is that of UTF-16, which costs a fraction. */
const inOrder = (names: string[]): string[] =>
  names.some((name) => FROM_SURROGATES.test(name))
    ? names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : names.sort();

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

const escaped = (json: string): string => json.replace(/[<>&\u2028\u2029]/g, (each) => ESCAPES[each] as string);
