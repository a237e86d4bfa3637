import { shortened, VerbatimValue, verbatim } from './field-error.js';
import { isInt64 } from './go-json.js';

/** Characters of a value in a message, with some to spare. */
const SHOWN_CHARACTERS = 8_192;

/** Formats an untyped value from JSON as the reference system does: in Go syntax. */
export const shownUntyped = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? new VerbatimValue(untyped(value, { left: SHOWN_CHARACTERS })) : value;

function untyped(value: unknown, room: { left: number }): string {
  room.left--;
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${shownItems(value, (item) => untyped(item, room), room)}}`;
  if (typeof value !== 'object') return counted(verbatim(value).text, room);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = ([name, member]: [string, unknown]) =>
    `${counted(JSON.stringify(shortened(name)), room)}:${untyped(member, room)}`;
  return `map[string]interface {}{${shownItems(members, shown, room)}}`;
}

function shownItems<T>(
  items: readonly T[],
  shown: (item: T) => string,
  room: { left: number },
  between = ', ',
): string {
  const texts: string[] = [];
  for (const item of items) {
    if (room.left <= 0) break;
    texts.push(shown(item));
  }
  return texts.join(between);
}

function counted(text: string, room: { left: number }): string {
  room.left -= text.length;
  return text;
}

/** Whether a number is an integer as decoded; larger ones are fractions like others. */
const isInteger = (value: unknown): boolean =>
  typeof value === 'bigint' ? isInt64(value) : Number.isSafeInteger(value);

/** Returns the Go type in which the reference system holds a value from JSON. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : isInteger(value) ? 'int64' : 'float64';
}

/** Formats a value from JSON as the reference system does by default: `map[a:1 b:[x <nil>]]`. */
export const plainText = (value: unknown): string => plainly(value, { left: SHOWN_CHARACTERS });

function plainly(value: unknown, room: { left: number }): string {
  room.left--;
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return goNumber(value);
  if (typeof value === 'bigint' && !isInt64(value)) return goNumber(Number(value));
  if (typeof value !== 'object') return counted(shortened(String(value)), room);
  if (Array.isArray(value)) return `[${shownItems(value, (item) => plainly(item, room), room, ' ')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = ([name, member]: [string, unknown]) => `${counted(shortened(name), room)}:${plainly(member, room)}`;
  return `map[${shownItems(members, shown, room, ' ')}]`;
}

/** Powers of ten from which on, and below which, fractions are formatted with an exponent. */
const [LARGE, SMALL] = [6, -4];

/** Formats a number as the reference system does: integers in full, large or small fractions with an exponent. */
export function goNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const [digits, exponent] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= SMALL && power < LARGE) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
