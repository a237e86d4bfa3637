import type { ApiObject, JsonValue } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import type { Duplicates } from '../json/json-reader.js';
import { type JsonLimits, type ParsedJson, parseJson } from '../json/parse-json.js';
import { MISMATCH, ObjectReadError, type Reader, ReadState } from './read-state.js';
import { structReader } from './struct-reader.js';

/** An object as its type declares it, and what of the text was no part of that. */
export interface ReadObject {
  /** Shares with the value that was read whatever needed no change. */
  readonly object: ApiObject;
  /** `unknown field "spec.foo"`, `duplicate field "spec.bar"`: what was dropped, at most 100 texts. */
  readonly problems: readonly string[];
}

/** Results of reading a value from a text. */
export interface ReadOptions {
  /** Names that were repeated in the text, as {@link parseJson} found them; they are reported with their paths. */
  readonly duplicates?: Duplicates;
}

/**
 * A JSON value as an object of a declared type. Unknown fields, nulls and zero values of fields that leave them out
 * are dropped; times, durations, quantities and base64 are brought into their printed form; types and ranges are
 * checked. The value is not changed, but the result shares with it whatever needed no change.
 * @throws ObjectReadError for the first value of a wrong type, QuantityError, TimeError, DurationError
 */
export function readObject(schema: StructSchema, value: JsonValue, options: ReadOptions = {}): ReadObject {
  const state = new ReadState(options.duplicates);
  const object = readDeep(schema, value, state);
  if (object === MISMATCH || object === undefined) throw state.mismatch(value, schema, '');
  return { object: object as ApiObject, problems: state.problems };
}

/** Patches can make objects deeper than any text that is let in. */
function readDeep(schema: StructSchema, value: JsonValue, state: ReadState): ReturnType<Reader> {
  try {
    return structReader(schema)(value, state);
  } catch (error) {
    if (error instanceof RangeError) throw new ObjectReadError('exceeded max depth');
    throw error;
  }
}

const readParsed = (schema: StructSchema, { value, duplicates }: ParsedJson): ReadObject =>
  readObject(schema, value, duplicates && { duplicates });

/** Bytes of JSON as an object of a declared type. @throws JsonSyntaxError and what {@link readObject} throws */
export function decodeJsonObject(schema: StructSchema, bytes: Buffer | string, limits?: JsonLimits): ReadObject {
  return readParsed(schema, parseJson(bytes, limits));
}
