import { Otherwise } from './scanner.js';

/** One entry of a text of `managedFields`, in its parts. */
export interface EntryText {
  /** Members that stand before the fields, with no comma behind them. */
  readonly head: string;
  /** The value of `fieldsV1`. */
  readonly fields: string;
  /** What stands behind the fields: the subresource, with a comma before it; or nothing. */
  readonly tail: string;
}

const FIELDS = ',"fieldsType":"FieldsV1","fieldsV1":';
const BETWEEN = '},{"';
const TAIL = ',"subresource":"';
const QUOTE = 0x22;

/**
 * The entries of a text that the server has written, without a look at their fields. There is no list in them, and within a string
 * quotes are escaped: where a brace, a comma and a brace are followed by a quote and a letter, one entry ends and another begins.
 * @param text one character a byte
 * @throws Otherwise for what shows here to have been written otherwise; not all does
 */
export function entryTexts(text: string): EntryText[] {
  if (!text.startsWith('[{') || !text.endsWith('}]')) throw new Otherwise();
  const entries: EntryText[] = [];
  for (let start = 2; start < text.length; ) {
    const end = entryEnd(text, start);
    entries.push(partsOf(text, start, end));
    start = end + BETWEEN.length - 1;
  }
  return entries;
}

/** Where the brace stands that ends an entry. */
function entryEnd(text: string, start: number): number {
  let end = text.indexOf(BETWEEN, start);
  while (end >= 0 && !isLetter(text.charCodeAt(end + BETWEEN.length))) end = text.indexOf(BETWEEN, end + 1);
  return end < 0 ? text.length - 2 : end;
}

const isLetter = (code: number): boolean => code >= 0x61 && code <= 0x7a;

/** @throws Otherwise */
function partsOf(text: string, start: number, end: number): EntryText {
  const at = text.indexOf(FIELDS, start);
  if (at < 0 || at > end) throw new Otherwise();
  const from = at + FIELDS.length;
  const to = text.charCodeAt(end - 1) === QUOTE ? text.lastIndexOf(TAIL, end) : end;
  if (to < from) throw new Otherwise();
  return { head: text.slice(start, at), fields: text.slice(from, to), tail: text.slice(to, end) };
}
