import { isInt64, parseDuration } from '@orch/machinery';
import { parseDate, parseTimestamp, TimeTextError } from '../values/times.js';
import { Duration, type EvaluationBudget, Failure, Opaque, type Value } from '../values/value.js';
import { isRawObject, nativeTypeName, type Raw, rawOf, sameRaw } from './native.js';
import { SchemaList, SchemaMapList, SchemaSet } from './schema-lists.js';
import { type MemberReaders, SchemaDictionary } from './schema-objects.js';
import { isEmbedded, type SchemaProps, valueSchemaOf, withObjectMeta } from './structural-schema.js';
import type { ValueReader } from './value-reader.js';

/**
 * Returns the reader for values of a schema (k8s.io/apiserver, cel/common/values.go): values are wrapped on demand.
 * @param isRoot it is the schema of a whole object
 */
export function readerOf(schema: SchemaProps, isRoot = false): ValueReader {
  const read = bodyReader(isRoot ? withObjectMeta(schema) : schema);
  const absent = schema.nullable ? null : new Failure('invalid data, got null for schema with nullable=false');
  return (raw) => (raw === null || raw === undefined ? absent : read(raw));
}

function bodyReader(schema: SchemaProps): ValueReader {
  if (schema['x-kubernetes-int-or-string']) return readIntOrString;
  switch (schema.type) {
    case 'object':
      return objectReader(schema);
    case 'array':
      return listReader(schema);
    case 'string':
      return textReader(schema.format);
    case 'number':
      return readNumber;
    case 'integer':
      return readInteger;
    case 'boolean':
      return (raw) => (typeof raw === 'boolean' ? raw : unexpected('bool', raw));
  }
  if (schema['x-kubernetes-preserve-unknown-fields']) return (raw) => new UnknownValue(raw);
  const expected =
    'expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true';
  return () => new Failure(`invalid type, ${expected}, got ${schema.type ?? ''}`);
}

const unexpected = (expected: string, raw: Raw): Failure =>
  new Failure(`invalid data, expected ${expected}, got ${nativeTypeName(raw)}`);

/** The reference takes larger integers for fractions. */
const isInteger = (raw: Raw): raw is number | bigint =>
  typeof raw === 'bigint' ? isInt64(raw) : Number.isSafeInteger(raw);
const readInteger: ValueReader = (raw) => (isInteger(raw) ? BigInt(raw) : unexpected('int', raw));
const readNumber: ValueReader = (raw) =>
  typeof raw === 'number' || typeof raw === 'bigint' ? Number(raw) : unexpected('float', raw);
const readIntOrString: ValueReader = (raw) => {
  if (typeof raw === 'string') return raw;
  if (isInteger(raw)) return BigInt(raw);
  return new Failure('invalid data, expected XIntOrString value to be either a string or integer');
};

function objectReader(schema: SchemaProps): ValueReader {
  const members = membersOf(isEmbedded(schema) ? withObjectMeta(schema) : schema);
  return (raw) => {
    if (!isRawObject(raw)) return new Failure('invalid data, expected a map for the provided schema with type=object');
    if (members) return new SchemaDictionary(raw, members);
    return new Failure(
      'invalid object type, expected either Properties or AdditionalProperties with Allows=true and non-empty Schema',
    );
  };
}

function membersOf(schema: SchemaProps): MemberReaders | undefined {
  if (schema.properties) return { reader: fieldReaders(schema.properties), isObject: true };
  const values = valueSchemaOf(schema);
  if (values) {
    const read = readerOf(values);
    return { reader: () => read, isObject: false };
  }
  return schema['x-kubernetes-preserve-unknown-fields'] ? { reader: () => undefined, isObject: false } : undefined;
}

/** Readers of fields, each made on demand. */
function fieldReaders(properties: Readonly<Record<string, SchemaProps>>): (name: string) => ValueReader | undefined {
  const readers = new Map<string, ValueReader>();
  return (name) => {
    const known = readers.get(name);
    if (known || !Object.hasOwn(properties, name)) return known;
    const reader = readerOf(properties[name] as SchemaProps);
    readers.set(name, reader);
    return reader;
  };
}

function listReader(schema: SchemaProps): ValueReader {
  const { items } = schema;
  const elements = items && readerOf(items);
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return (raw) => {
    if (!Array.isArray(raw))
      return new Failure('invalid data, expected an array for the provided schema with type=array');
    if (!elements) return new Failure('invalid array type, expected Items with a non-empty Schema');
    switch (schema['x-kubernetes-list-type']) {
      case 'map':
        return new SchemaMapList(raw, elements, keys);
      case 'set':
        return new SchemaSet(raw, elements);
      default:
        return new SchemaList(raw, elements);
    }
  };
}

const FORMATS: ReadonlyMap<string, (text: string) => Value> = new Map([
  [
    'duration',
    (text) => readDuration(text) ?? new Failure(`Invalid duration ${text}: unable to parse ${text} as duration`),
  ],
  ['date', (text) => timeOr('date', text, () => parseDate(text))],
  [
    'date-time',
    (text) => timeOr('date-time', text, () => parseTimestamp(text === '' ? '1970-01-01T00:00:00Z' : text, true)),
  ],
  ['byte', readBytes],
]);

function textReader(format: string | undefined): ValueReader {
  const read = format === undefined ? undefined : FORMATS.get(format);
  return (raw) => {
    if (typeof raw !== 'string') return unexpected('string', raw);
    return read ? read(raw) : raw;
  };
}

function timeOr(format: string, text: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TimeTextError)
      return new Failure(`Invalid ${format} formatted string ${text}: ${error.message}`);
    throw error;
  }
}

const DAY = 86_400_000_000_000n;
/** Units in long form, each with the words that it is the last prefix of. */
const UNITS: readonly (readonly [size: bigint, words: readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1_000n, ['us', 'µs', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [1_000_000_000n, ['s', 'sec']],
  [60_000_000_000n, ['m', 'min']],
  [3_600_000_000_000n, ['h', 'hr', 'hour']],
  [DAY, ['d', 'day']],
  [7n * DAY, ['w', 'wk', 'week']],
];

/** A duration as Go writes it, or in words: `2 days`. */
function readDuration(text: string): Value | undefined {
  try {
    return new Duration(parseDuration(text));
  } catch {
    return durationInWords(text);
  }
}

/** Characters of the longest duration in words; longer ones would take quadratic time. */
const LONGEST_DURATION = 1_000;

function durationInWords(text: string): Value | undefined {
  if (text.length > LONGEST_DURATION) return undefined;
  let total: bigint | undefined;
  for (const [, count = '', word = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    if (count.length > 19) return undefined;
    const unit = word.toLowerCase();
    for (const [size, words] of UNITS)
      if (words.includes(unit) || unit.startsWith(words.at(-1) as string)) total = (total ?? 0n) + BigInt(count) * size;
  }
  return total === undefined ? undefined : new Duration(BigInt.asIntN(64, total));
}

/** Decodes base64 in the URL alphabet, which is what the reference reads here. */
function readBytes(text: string): Value {
  const plain = text.replaceAll(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9_-]/.exec(plain.replace(/={0,2}$/, ''));
  const wrong = bad ? bad.index : plain.length % 4 === 0 ? -1 : plain.length - (plain.length % 4);
  if (wrong >= 0)
    return new Failure(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${wrong}`);
  return new Uint8Array(Buffer.from(plain, 'base64url'));
}

/** A value that the schema only declares as preserved. */
class UnknownValue extends Opaque {
  override readonly typeName = '';

  constructor(readonly raw: Raw) {
    super();
  }

  override equals(other: Value, _effort: EvaluationBudget): boolean {
    return sameRaw(this.raw, other instanceof UnknownValue ? other.raw : rawOf(other));
  }
}
