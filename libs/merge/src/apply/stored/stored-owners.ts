import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { type EntryText, entryTexts, FIELDS } from './entry-texts.js';
import { keptBy } from './kept-fields.js';
import { packEntries, packOwners } from './pack.js';
import { Otherwise } from './scanner.js';

/**
 * Reads the entries of a text of `managedFields` that the server has written. Their `fieldsV1` are shared by all
 * objects with the same fields, and frozen.
 * @param text UTF-8
 * @param parse reads JSON
 * @returns undefined for a text that was written otherwise
 */
export function readOwners(text: Buffer, parse: (json: Buffer) => JsonObject): JsonObject[] | undefined {
  try {
    return entryTexts(text).map(({ head, fields, tail }) => {
      const entry = parse(Buffer.from(`{${head},"fieldsType":"FieldsV1","fieldsV1":null${tail}}`, 'latin1'));
      entry.fieldsV1 = fields.value(parse);
      return entry;
    });
  } catch (error) {
    if (error instanceof Otherwise || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Entries in their stored form. */
export interface StoredOwners {
  /** Bytes of their text. */
  readonly length: number;
  /** Result of `packOwners` for the text; undefined if it cannot be packed. */
  readonly packed: Buffer | undefined;
  /** Writes their text. */
  writeTo(out: Buffer, at: number): void;
}

/**
 * Returns the stored form of entries. The text and packed form of fields that were read here, or drawn up by the
 * server, are cached; all else is encoded.
 * @param write makes JSON
 */
export function storedOwners(entries: readonly JsonObject[], write: (value: JsonValue) => string): StoredOwners {
  const parts: EntryText[] = [];
  for (const entry of entries) {
    const part = partsOf(entry, write);
    if (part === undefined) return writtenOwners(Buffer.from(write([...entries])));
    parts.push(part);
  }
  return {
    length: parts.reduce((sum, part) => sum + lengthOf(part), 1),
    packed: packEntries(parts),
    writeTo: (out, at) => writeParts(parts, out, at),
  };
}

const writtenOwners = (text: Buffer): StoredOwners => ({
  length: text.length,
  packed: packOwners(text),
  writeTo: (out, at) => void text.copy(out, at),
});

/** Length with its braces, and the bracket or comma before it. */
const lengthOf = ({ head, fields, tail }: EntryText): number =>
  head.length + FIELDS.length + fields.bytes.length + tail.length + 3;

function writeParts(parts: readonly EntryText[], out: Buffer, begin: number): void {
  let at = begin;
  parts.forEach(({ head, fields, tail }, i) => {
    at += out.write(`${i === 0 ? '[{' : ',{'}${head}${FIELDS}`, at, 'latin1');
    at += fields.bytes.copy(out, at);
    at += out.write(`${tail}}`, at, 'latin1');
  });
  out.write(']', at, 'latin1');
}

/** Members of an entry in the order in which the server writes them. */
const MEMBERS = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'];

/**
 * The parts of an entry whose fields are known; undefined for any other, and for one that the server would write
 * otherwise.
 */
function partsOf(entry: JsonObject, write: (value: JsonValue) => string): EntryText | undefined {
  const { fieldsV1, fieldsType } = entry;
  const fields = isObject(fieldsV1) && fieldsType === 'FieldsV1' ? keptBy(fieldsV1) : undefined;
  if (fields === undefined) return undefined;
  let [head, tail, at] = ['', '', 0];
  for (const name of Object.keys(entry)) {
    const value = entry[name];
    if (value === undefined) continue;
    at = MEMBERS.indexOf(name, at) + 1;
    if (at === 0) return undefined;
    if (name === 'subresource') tail = `,"subresource":${write(value)}`;
    else if (name !== 'fieldsType' && name !== 'fieldsV1') head += `${head === '' ? '' : ','}"${name}":${write(value)}`;
  }
  return { head: bytewise(head), fields, tail: bytewise(tail) };
}

const BEYOND_ASCII = /[^\0-\x7f]/;

/** A text with one character for each of its bytes. */
const bytewise = (text: string): string => (BEYOND_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text);
