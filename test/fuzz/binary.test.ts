import { decodeProtobufObject, encodeObject, encodeUnknown, readObject } from '@orch/codec';
import { type JsonValue, type NamingProfile, namesOf } from '@orch/machinery';
import { loadScheme, type ResourceDefinition } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryObject } from './arbitrary-object.js';
import { expectSame } from './same.js';

/** `BINARY_OBJECTS=100000 npx vitest run --config test/vitest.config.ts test/fuzz/binary.test.ts` for more. */
const OBJECTS = Number(process.env.BINARY_OBJECTS ?? 2_000);
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_101);
const TIMEOUT_MS = 60_000 + OBJECTS * 10;
const PROFILES: readonly NamingProfile[] = ['orch', 'kubernetes'];

const NAME = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
const TEXT = fc.string({ unit: 'grapheme', maxLength: 8 });
const KEY = fc.oneof(
  NAME.map((name) => `f:${name}`),
  TEXT.map((name) => `f:${name}`),
  fc
    .dictionary(NAME, fc.oneof(TEXT, fc.integer(), fc.boolean()), { minKeys: 1, maxKeys: 2 })
    .map((key) => `k:${JSON.stringify(key)}`),
  fc.oneof(TEXT, fc.integer()).map((value) => `v:${JSON.stringify(value)}`),
  fc.nat(99).map((index) => `i:${index}`),
  fc.constant('.'),
);
const { fields: FIELDS } = fc.letrec<{ fields: JsonValue }>((tie) => ({
  fields: fc.dictionary(KEY, fc.oneof({ maxDepth: 5 }, fc.constant({}), tie('fields')), { maxKeys: 3 }),
}));
const OWNERS = fc.array(
  fc.record(
    {
      manager: fc.oneof(NAME, TEXT),
      operation: fc.constantFrom('Apply', 'Update'),
      apiVersion: fc.constantFrom('v1', 'apps/v1', 'gone.example.com/v1alpha1'),
      time: fc.date({ min: new Date(0), max: new Date(Date.UTC(9999, 0)), noInvalidDate: true }).map(inSeconds),
      fieldsType: fc.constant('FieldsV1'),
      fieldsV1: FIELDS,
      subresource: fc.constantFrom('status', 'scale'),
    },
    { requiredKeys: ['operation', 'fieldsType', 'fieldsV1'] },
  ),
  { maxLength: 4 },
);

function inSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Field owners for each version of each stored kind. */
const owned = (definition: ResourceDefinition) =>
  fc.tuple(arbitraryObject(definition, true), OWNERS).map(([object, managedFields]) => ({
    ...object,
    metadata: { ...object.metadata, managedFields: managedFields as JsonValue },
  }));

describe.each(PROFILES)('objects of every kind with owners of their fields, %s names', (profile) => {
  const kinds = loadScheme(namesOf(profile)).resources.filter(({ stored }) => stored);
  const each = Math.ceil(OBJECTS / kinds.length / PROFILES.length);

  test(
    `are the same in JSON and in protobuf: ${each} of each of ${kinds.length}, seed ${SEED}`,
    () => {
      for (const definition of kinds) {
        const { schema } = definition;
        const property = fc.property(owned(definition), (object) => {
          const { apiVersion, kind } = object;
          const read = readObject(schema, structuredClone(object)).object;
          const bytes = encodeUnknown({ apiVersion, kind, raw: encodeObject(schema, read) });
          const decoded = decodeProtobufObject(schema, bytes);
          expectSame('protobuf', decoded, read);
          const texts = [read, decoded].map(({ metadata }) => JSON.stringify(metadata?.managedFields ?? []));
          expect(texts[1], 'owners are the very same text').toBe(texts[0]);
          expect(encodeUnknown({ apiVersion, kind, raw: encodeObject(schema, decoded) })).toEqual(bytes);
        });
        fc.assert(property, { seed: SEED, numRuns: each });
      }
    },
    TIMEOUT_MS,
  );
});
