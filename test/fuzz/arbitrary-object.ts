import type { JsonValue } from '@orch/machinery';
import type { Field, ResourceDefinition, Schema, StructSchema } from '@orch/schema';
import fc from 'fast-check';

/** Optional fields of one struct at most, and structs within structs: a pod has hundreds. */
const MAX_FIELDS = 5;
const MAX_DEPTH = 4;

const TEXT = fc.string({ unit: 'grapheme', maxLength: 12 });
const NAME = fc.stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/);
const second = fc.date({ min: new Date(0), max: new Date(Date.UTC(9999, 0)), noInvalidDate: true });
const two = (number: number) => String(number).padStart(2, '0');

/** Values of every scalar in the form in which they are printed. */
const SCALARS: Readonly<Record<Exclude<Schema['kind'], 'list' | 'map' | 'struct'>, fc.Arbitrary<JsonValue>>> = {
  string: fc.oneof(NAME, TEXT),
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  uint32: fc.nat({ max: 2 ** 31 - 1 }),
  uint64: fc.maxSafeNat(),
  float: fc.float({ noNaN: true, noDefaultInfinity: true }),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }),
  bytes: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  time: second.map((date) => `${date.toISOString().slice(0, 19)}Z`),
  microTime: second.map((date) => `${date.toISOString().slice(0, 23)}000Z`),
  duration: fc.tuple(fc.nat(99), fc.integer({ min: 1, max: 59 })).map(([m, s]) => `${m > 0 ? `${m}m` : ''}${s}s`),
  quantity: fc.oneof(fc.constantFrom('100m', '1Gi', '1500m', '2k', '0'), fc.nat(10_000).map(String)),
  intOrString: fc.oneof(fc.nat(65_535), NAME),
  rawExtension: fc.record({ kind: NAME, value: fc.nat() }),
  fieldsV1: fc.constant({}),
  json: fc.oneof(TEXT, fc.nat(), fc.boolean(), fc.dictionary(NAME, TEXT, { maxKeys: 2 })),
};

/**
 * An object of a kind as clients may send it: of the declared types throughout, but as for its meaning anything.
 * @param withStatus what is not the creator's to set, too
 */
export function arbitraryObject(
  { group, version, kind, schema }: Pick<ResourceDefinition, 'group' | 'version' | 'kind' | 'schema'>,
  withStatus = false,
): fc.Arbitrary<GeneratedObject> {
  const made = (name: string): boolean => !ENVELOPE.has(name) || (withStatus && name === 'status');
  const own = new Map([...schema.fields].filter(([name]) => made(name)));
  return fc
    .record({ metadata: METADATA, fields: arbitraryFields({ ...schema, fields: own }, 0) })
    .map(({ metadata, fields }) => ({
      apiVersion: group ? `${group}/${version}` : version,
      kind,
      metadata,
      ...fields,
    }));
}

export type GeneratedObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: GeneratedMetadata;
  readonly [field: string]: JsonValue | GeneratedMetadata;
};

interface GeneratedMetadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** `status` is not the creator's to set, the rest is made here. */
const ENVELOPE = new Set(['apiVersion', 'kind', 'metadata', 'status']);

const METADATA: fc.Arbitrary<GeneratedMetadata> = fc.record(
  {
    name: fc.tuple(NAME, fc.nat()).map(([name, number]) => `${name}-${two(number)}`),
    labels: fc.dictionary(NAME, NAME, { maxKeys: 3 }),
    annotations: fc.dictionary(NAME, TEXT, { maxKeys: 3 }),
  },
  { requiredKeys: ['name'] },
);

function arbitraryFields({ fields, customJson }: StructSchema, depth: number): fc.Arbitrary<Record<string, JsonValue>> {
  if (customJson) return fc.constant({});
  const all = [...fields.values()];
  const optional = depth >= MAX_DEPTH ? [] : all.filter(({ required }) => !required);
  return fc.subarray(optional, { maxLength: Math.min(optional.length, MAX_FIELDS) }).chain((chosen) => {
    const model = Object.fromEntries(
      [...all.filter(({ required }) => required), ...chosen].map((field) => [field.name, arbitraryValue(field, depth)]),
    );
    return fc.record(model);
  });
}

/** The values of an enumeration belong to the items where the field is a list. */
function arbitraryValue({ schema, enum: values = [] }: Field, depth: number): fc.Arbitrary<JsonValue> {
  if (values.length === 0) return arbitraryOf(schema, depth);
  const one = fc.constantFrom(...values);
  return schema.kind === 'list' ? fc.array(one, { maxLength: 2 }) : one;
}

function arbitraryOf(schema: Schema, depth: number): fc.Arbitrary<JsonValue> {
  const room = depth < MAX_DEPTH ? 2 : 0;
  switch (schema.kind) {
    case 'list':
      return fc.array(arbitraryOf(schema.items, depth + 1), { maxLength: room });
    case 'map':
      return fc.dictionary(NAME, arbitraryOf(schema.values, depth + 1), { maxKeys: room });
    case 'struct':
      return arbitraryFields(schema, depth + 1);
    default:
      return SCALARS[schema.kind];
  }
}
