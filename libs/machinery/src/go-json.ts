import type { JsonValue } from './object.js';

/** Characters that Go's encoder escapes in strings though JSON does not require it. */
const ESCAPED_BY_GO = /[<>&\u2028\u2029]/g;
const ANY_ESCAPED_BY_GO = /[<>&\u2028\u2029\b\f]/;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes the characters that Go's encoder escapes in JSON text; they only occur in strings. */
export const escapedAsInGo = (text: string): string =>
  ANY_ESCAPED_BY_GO.test(text) ? text.replace(ESCAPED_BY_GO, escaped) : text;

/**
 * Encodes a value as Go's encoder does without a declared type: names sorted by their bytes, no blanks, and `<`, `>`,
 * `&`, U+2028 and U+2029 escaped. Clients of the reference make and compare such texts. Undefined members are left out.
 */
export function goJson(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return goString(value);
  if (typeof value === 'bigint') return isInt64(value) ? String(value) : JSON.stringify(Number(value));
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  const members = names.sort(byBytes).map((name) => `${goString(name)}:${goJson(value[name])}`);
  return `{${members.join(',')}}`;
}

/** The reference takes larger integers for fractions. */
export const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** Short escapes that the native encoder has and Go's lacks; escaped backslashes are matched too, to skip them. */
const SHORT_ESCAPES = /\\(?:[^bf]|(b)|(f))/g;

function goString(text: string): string {
  const written = JSON.stringify(text);
  if (!ANY_ESCAPED_BY_GO.test(text)) return written;
  const long = written.replace(SHORT_ESCAPES, (whole, b, f) => (b ? '\\u0008' : f ? '\\u000c' : whole));
  return escapedAsInGo(long);
}

/** Beyond ASCII the order of UTF-16 differs from that of UTF-8. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
