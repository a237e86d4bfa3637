import { type CelType, INT, listOf, STRING } from '../types/type.js';
import { ValueList } from '../values/lists.js';
import { isAscii, pointCount } from '../values/strings.js';
import { Failure, type List, type Value } from '../values/value.js';
import { type Form, type Implementation, type Library, methodForm } from './library.js';

/** Trimmed characters: white space of Unicode, without the byte order mark. */
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const TRIMMED = new RegExp(`^${SPACE}*`);
const SPACES = new RegExp(SPACE);

const outOfRange = (index: bigint): Failure => new Failure(`index out of range: ${index}`);

/** Splits a text into code points; an ASCII text is returned as it is. */
const pointsOf = (text: string): string | string[] => (isAscii(text) ? text : [...text]);
const between = (points: string | string[], start: number, end: number): string =>
  typeof points === 'string' ? points.slice(start, end) : points.slice(start, end).join('');

function charAt(text: string, index: bigint): Value {
  const points = pointsOf(text);
  if (index < 0n || index > points.length) return outOfRange(index);
  return points[Number(index)] ?? '';
}

/** Counts the code points before a position in UTF-16 units. */
const pointsBefore = (text: string, unit: number): bigint => BigInt(unit < 0 ? -1 : pointCount(text.slice(0, unit)));

function indexOf(text: string, part: string, offset = 0n): Value {
  if (part === '') return offset;
  const points = pointsOf(text);
  if (offset < 0n || offset >= points.length) return outOfRange(offset);
  const start = between(points, 0, Number(offset)).length;
  return pointsBefore(text, text.indexOf(part, start));
}

function lastIndexOf(text: string, part: string, offset?: bigint): Value {
  const points = pointsOf(text);
  if (part === '') return offset ?? BigInt(points.length);
  const last = offset ?? BigInt(points.length - 1);
  if (last < 0n || last >= points.length) return outOfRange(last);
  const start = between(points, 0, Number(last)).length;
  return pointsBefore(text, text.lastIndexOf(part, start));
}

function substring(text: string, start: bigint, end?: bigint): Value {
  const points = pointsOf(text);
  const behind = end ?? BigInt(points.length);
  if (end !== undefined && start > end) return new Failure(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > points.length) return outOfRange(start);
  if (behind < 0n || behind > points.length) return outOfRange(behind);
  return between(points, Number(start), Number(behind));
}

function replace(text: string, part: string, by: string, most = -1n): Value {
  if (most < 0n) return part === '' ? surround(text, by, -1n) : text.replaceAll(part, () => by);
  if (part === '') return surround(text, by, most);
  const pieces = splitFirst(text, part, most);
  return pieces.join(by);
}

/** Inserts a text before each character and behind the last, up to a number of times. */
function surround(text: string, by: string, most: bigint): string {
  let left = most < 0n ? Number.POSITIVE_INFINITY : Number(most);
  const pieces: string[] = [];
  for (const point of [...text, '']) {
    if (left-- > 0) pieces.push(by);
    pieces.push(point);
  }
  return pieces.join('');
}

/** Splits at a number of separators; the rest is the last piece. */
function splitFirst(text: string, separator: string, most: bigint): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (pieces.length < most) {
    const end = text.indexOf(separator, start);
    if (end < 0) break;
    pieces.push(text.slice(start, end));
    start = end + separator.length;
  }
  return [...pieces, text.slice(start)];
}

function split(text: string, separator: string, most = -1n): Value {
  if (most === 0n) return new ValueList([]);
  if (separator !== '')
    return new ValueList(most < 0n ? text.split(separator) : splitFirst(text, separator, most - 1n));
  const points = [...text];
  if (most < 0n || points.length <= most) return new ValueList(points);
  const alone = Number(most) - 1;
  return new ValueList([...points.slice(0, alone), points.slice(alone).join('')]);
}

function trim(text: string): Value {
  let end = text.length;
  while (end > 0 && SPACES.test(text[end - 1] as string)) end--;
  return text.slice(0, end).replace(TRIMMED, '');
}

function join(list: List, separator = ''): Value {
  const texts: string[] = [];
  for (let i = 0; i < list.size; i++) {
    const text = list.at(i);
    if (text instanceof Failure) return text;
    if (typeof text !== 'string') return new Failure("unsupported native conversion to: 'string'");
    texts.push(text);
  }
  return texts.join(separator);
}

const method = (id: string, params: readonly CelType[], result: CelType, call: unknown): Form =>
  // The types of the values were checked against the parameters before the call.
  methodForm(id, params, result, call as Implementation);

/** Functions on strings of cel-go's `ext` of 0.12.7. */
export const STRINGS_LIBRARY: Library = [
  { name: 'charAt', forms: [method('string_char_at_int', [STRING, INT], STRING, charAt)] },
  {
    name: 'indexOf',
    forms: [
      method('string_index_of_string', [STRING, STRING], INT, indexOf),
      method('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf),
    ],
  },
  {
    name: 'lastIndexOf',
    forms: [
      method('string_last_index_of_string', [STRING, STRING], INT, lastIndexOf),
      method('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexOf),
    ],
  },
  {
    name: 'lowerAscii',
    forms: [
      method('string_lower_ascii', [STRING], STRING, (text: string) => text.replace(/[A-Z]+/g, (s) => s.toLowerCase())),
    ],
  },
  {
    name: 'upperAscii',
    forms: [
      method('string_upper_ascii', [STRING], STRING, (text: string) => text.replace(/[a-z]+/g, (s) => s.toUpperCase())),
    ],
  },
  {
    name: 'replace',
    forms: [
      method('string_replace_string_string', [STRING, STRING, STRING], STRING, replace),
      method('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace),
    ],
  },
  {
    name: 'split',
    forms: [
      method('string_split_string', [STRING, STRING], listOf(STRING), split),
      method('string_split_string_int', [STRING, STRING, INT], listOf(STRING), split),
    ],
  },
  {
    name: 'substring',
    forms: [
      method('string_substring_int', [STRING, INT], STRING, substring),
      method('string_substring_int_int', [STRING, INT, INT], STRING, substring),
    ],
  },
  { name: 'trim', forms: [method('string_trim', [STRING], STRING, trim)] },
  {
    name: 'join',
    forms: [
      method('list_join', [listOf(STRING)], STRING, join),
      method('list_join_string', [listOf(STRING), STRING], STRING, join),
    ],
  },
];
