import type { JsonObject, JsonValue } from '@orch/machinery';
import { frozen, isObject } from '../../json-values.js';
import { knownText } from '../paths/field-set.js';
import { entryTexts } from './entry-texts.js';
import { keptOf } from './kept-fields.js';
import { Otherwise } from './scanner.js';

/** The texts of what was read here. */
const texts = new WeakMap<JsonObject, string>();

/**
 * The entries of a text of `managedFields` that the server has written. Their `fieldsV1` are shared by all objects that have the
 * same, so nobody can change them.
 * @param text UTF-8
 * @param parse reads JSON
 * @returns undefined for a text that was written otherwise
 */
export function readOwners(text: Buffer, parse: (json: Buffer) => JsonObject): JsonObject[] | undefined {
  try {
    return entryTexts(text.toString('latin1')).map(({ head, fields, tail }) => {
      const entry = parse(Buffer.from(`{${head},"fieldsType":"FieldsV1","fieldsV1":null${tail}}`, 'latin1'));
      entry.fieldsV1 = fieldsOf(fields, parse);
      return entry;
    });
  } catch (error) {
    if (error instanceof Otherwise || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function fieldsOf(text: string, parse: (json: Buffer) => JsonObject): JsonObject {
  const kept = keptOf(text);
  if (kept.read === undefined) {
    const json = Buffer.from(text, 'latin1');
    kept.read = frozen(parse(json));
    if (isObject(kept.read)) texts.set(kept.read, json.toString());
  }
  return kept.read;
}

/**
 * The text of entries. That of fields which were read here, or which the server has drawn, is known; all else is written.
 * @param write makes JSON
 */
export const ownersText = (entries: readonly JsonObject[], write: (value: JsonValue) => string): string =>
  `[${entries.map((entry) => entryText(entry, write)).join()}]`;

function entryText(entry: JsonObject, write: (value: JsonValue) => string): string {
  const { fieldsV1 } = entry;
  const known = isObject(fieldsV1) ? (texts.get(fieldsV1) ?? knownText(fieldsV1)) : undefined;
  if (known === undefined) return write(entry);
  const members: string[] = [];
  for (const name of Object.keys(entry)) {
    const value = entry[name];
    if (value !== undefined) members.push(`${JSON.stringify(name)}:${name === 'fieldsV1' ? known : write(value)}`);
  }
  return `{${members.join()}}`;
}
