import type { JsonValue } from '@orch/machinery';
import type { Schema } from '@orch/schema';
import type { Duplicates } from '../json/json-reader.js';
import { MAX_PROBLEM_TEXT, MAX_PROBLEMS } from '../problem-limits.js';
import { MAX_MESSAGE_DEPTH } from '../protobuf/protobuf-error.js';

/** Thrown for the first value of another type than its field's. */
export class ObjectReadError extends Error {
  override readonly name = 'ObjectReadError';
}

/** Answer of a reader for a value of the wrong type; its caller knows the field and throws. */
export const MISMATCH: unique symbol = Symbol('mismatch');

/** Returns the value in the schema's form, the same object if nothing changed; undefined drops it. */
export type SchemaReader = (value: JsonValue, state: ReadState) => JsonValue | undefined | typeof MISMATCH;

/** A key of a map, which is part of the paths of problems but not of type errors. */
export class MapKey {
  constructor(readonly key: string) {}
}

/**
 * Deepest nesting of structs and maps: each is a message in the binary form, and so are some of the values at their
 * ends. An object without a binary form would be missing from every list of its type.
 */
const MAX_DEPTH = MAX_MESSAGE_DEPTH - 2;

/** State of reading one object. */
export class ReadState {
  /** Fields, list indexes and map keys that lead to the reader's position. */
  readonly path: (string | number | MapKey)[] = [];
  readonly #problems = new Set<string>();
  #room = MAX_PROBLEM_TEXT;
  #depth = 0;
  #silent = 0;

  constructor(readonly duplicates: Duplicates | undefined) {}

  get problems(): string[] {
    return [...this.#problems];
  }

  /** Enters a struct or a map; paired with {@link leave}. */
  enter(): void {
    if (++this.#depth > MAX_DEPTH) throw new ObjectReadError('exceeded max depth');
  }

  leave(): void {
    this.#depth--;
  }

  /** Suppresses problems until {@link speak}. */
  silence(): void {
    this.#silent++;
  }

  speak(): void {
    this.#silent--;
  }

  /** Records an unknown or repeated member at the reader's position. */
  problem(what: 'unknown' | 'duplicate', member: string): void {
    if (this.#silent > 0 || this.#problems.size >= MAX_PROBLEMS || this.#room < 0) return;
    let path = '';
    for (const segment of this.path) {
      if (typeof segment === 'number') path += `[${segment}]`;
      else path += `.${typeof segment === 'string' ? segment : segment.key}`;
    }
    this.#room -= path.length + member.length;
    this.#problems.add(`${what} field ${JSON.stringify(`${path}.${member}`.slice(1))}`);
  }

  /** @param owner the struct that declares the field, `''` for the document itself */
  mismatch(value: JsonValue, schema: Schema, owner: string, field?: string): ObjectReadError {
    const fields = this.path.filter((segment) => typeof segment === 'string');
    if (field !== undefined) fields.push(field);
    const where = owner === '' ? 'value' : `struct field ${owner}.${fields.join('.')}`;
    return new ObjectReadError(`json: cannot unmarshal ${shapeOf(value)} into Go ${where} of type ${typeName(schema)}`);
  }
}

function shapeOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31 ? 'number' : `number ${value}`;
    default:
      return typeof value;
  }
}

const SCALAR_NAMES: Readonly<Record<string, string>> = {
  float: 'float32',
  double: 'float64',
  bytes: '[]uint8',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  intOrString: 'int32',
  rawExtension: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  json: 'v1.JSON',
};

/** Returns the name of a struct in messages: `PodSpec` of `core/v1.PodSpec`. */
export const structName = (id: string): string => id.slice(id.lastIndexOf('.') + 1);

function typeName(schema: Schema): string {
  switch (schema.kind) {
    case 'struct':
      return schema.id.slice(schema.id.lastIndexOf('/') + 1);
    case 'list':
      return `[]${typeName(schema.items)}`;
    case 'map':
      return `map[string]${typeName(schema.values)}`;
    default:
      return SCALAR_NAMES[schema.kind] ?? schema.kind;
  }
}
