import { stringifyJson } from '@orch/codec';
import { goNumber, type JsonValue } from '@orch/machinery';

/** What is found, as a column of texts shows it: lists and objects as Go's JSON, members in order. */
export function shownText(value: JsonValue): string {
  if (value === null) return '<no value>';
  if (typeof value === 'object') return escaped(stringifyJson(sorted(value)));
  return typeof value === 'number' ? goNumber(value) : String(value);
}

function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const names = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] as JsonValue)]));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

const escaped = (json: string): string => json.replace(/[<>&\u2028\u2029]/g, (each) => ESCAPES[each] as string);
