import type { ApiObject, JsonValue } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import type { Duplicates } from '../json/json-reader.js';
import { type JsonLimits, type ParsedJson, parseJson } from '../json/parse-json.js';
import { MISMATCH, ObjectReadError, ReadState, type SchemaReader } from './read-state.js';
import { structReader } from './struct-reader.js';

/** An object of its declared type, and the problems found in the text. */
export interface ReadObject {
  /** The object; shares unchanged parts with the source value. */
  readonly object: ApiObject;
  /** `unknown field "spec.foo"`, `duplicate field "spec.bar"`: dropped fields, at most 100 texts. */
  readonly problems: readonly string[];
}

/** Results of reading a value from a text. */
export interface ReadOptions {
  /** Repeated names in the text, as {@link parseJson} found them; they are reported with their paths. */
  readonly duplicates?: Duplicates;
}

/**
 * Converts a JSON value to an object of a declared type. Unknown fields, nulls and zero values of fields that omit them
 * are dropped; times, durations, quantities and base64 are brought into their printed form; types and ranges are
 * checked. The value is not changed, but the result shares unchanged parts with it.
 * @throws ObjectReadError for the first value of a wrong type, QuantityError, TimeError, DurationError
 */
export function readObject(schema: StructSchema, value: JsonValue, options: ReadOptions = {}): ReadObject {
  const state = new ReadState(options.duplicates);
  const object = readDeep(schema, value, state);
  if (object === MISMATCH || object === undefined) throw state.mismatch(value, schema, '');
  return { object: object as ApiObject, problems: state.problems };
}

/** Patches can make objects deeper than any accepted text. */
function readDeep(schema: StructSchema, value: JsonValue, state: ReadState): ReturnType<SchemaReader> {
  try {
    return structReader(schema)(value, state);
  } catch (error) {
    if (error instanceof RangeError) throw new ObjectReadError('exceeded max depth');
    throw error;
  }
}

const readParsed = (schema: StructSchema, { value, duplicates }: ParsedJson): ReadObject =>
  readObject(schema, value, duplicates && { duplicates });

/** Decodes JSON to an object of a declared type. @throws JsonSyntaxError and errors of {@link readObject} */
export function decodeJsonObject(schema: StructSchema, bytes: Buffer | string, limits?: JsonLimits): ReadObject {
  return readParsed(schema, parseJson(bytes, limits));
}
