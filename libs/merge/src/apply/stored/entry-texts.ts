import { type KeptFields, keptOf } from './kept-fields.js';
import { Otherwise } from './scanner.js';

/** An entry of a text of `managedFields`, in its parts. */
export interface EntryText {
  /** Members before the fields, with no comma behind them; one character per byte. */
  readonly head: string;
  /** The value of `fieldsV1`, whatever it is. */
  readonly fields: KeptFields;
  /** Text behind the fields: the subresource, with a comma before it; or nothing. One character per byte. */
  readonly tail: string;
}

/** Text between the head of an entry and its fields. */
export const FIELDS = ',"fieldsType":"FieldsV1","fieldsV1":';
const FIELDS_BYTES = Buffer.from(FIELDS);
const BETWEEN = Buffer.from('},{"');
const TAIL = Buffer.from(',"subresource":"');
const [QUOTE, OPENING, BEGINNING, CLOSING, END] = [0x22, 0x7b, 0x5b, 0x7d, 0x5d];

/**
 * Splits a text that the server has written into entries, without decoding their fields. It holds no list, and quotes
 * within strings are escaped: where a brace, a comma and a brace are followed by a quote and a letter, one entry ends
 * and another begins.
 * @param text UTF-8
 * @throws Otherwise for a text that was visibly written otherwise; not all are detected
 */
export function entryTexts(text: Buffer): EntryText[] {
  const { length } = text;
  const isList = text[0] === BEGINNING && text[length - 1] === END;
  if (!isList || text[1] !== OPENING || text[length - 2] !== CLOSING) throw new Otherwise();
  const entries: EntryText[] = [];
  for (let start = 2; start < length; ) {
    const end = entryEnd(text, start);
    entries.push(partsOf(text, start, end));
    start = end + BETWEEN.length - 1;
  }
  return entries;
}

/** Position of the brace that ends an entry. */
function entryEnd(text: Buffer, start: number): number {
  let end = text.indexOf(BETWEEN, start);
  while (end >= 0 && !isLetter(text[end + BETWEEN.length])) end = text.indexOf(BETWEEN, end + 1);
  return end < 0 ? text.length - 2 : end;
}

const isLetter = (code = 0): boolean => code >= 0x61 && code <= 0x7a;

/** @throws Otherwise */
function partsOf(text: Buffer, start: number, end: number): EntryText {
  const at = text.indexOf(FIELDS_BYTES, start);
  if (at < 0 || at > end) throw new Otherwise();
  const from = at + FIELDS.length;
  const to = text[end - 1] === QUOTE ? text.lastIndexOf(TAIL, end) : end;
  if (to < from) throw new Otherwise();
  const part = (begin: number, behind: number) => text.toString('latin1', begin, behind);
  return { head: part(start, at), fields: keptOf(text.subarray(from, to)), tail: part(to, end) };
}
