import { encodeObject, encodeUnknown } from '@orch/codec';
import { namesOf, type StatusError } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { expect, test } from 'vitest';
import { YamlReader } from '../decoding/yaml-reader.js';
import { type BodyEncoding, type BodyReading, decodeBody } from './decode-body.js';

const { schema } = loadScheme(namesOf('kubernetes')).kind('', 'v1', 'ConfigMap') ?? expect.unreachable();
const expected = { group: '', version: 'v1', kind: 'ConfigMap', schema };
const reading = {
  limits: { maxValues: 1_000, maxOwnerValues: 500 },
  yaml: new YamlReader(),
  sender: { user: 'a', isGone: () => false },
} as unknown as BodyReading;

const many = <T>(count: number, prefix: string, value: T) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]));

function configMap(values: number, ownerValues: number) {
  const entry = { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
  const managedFields = [{ ...entry, fieldsV1: many(ownerValues, 'f:', {}) }];
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields }, data: many(values, 'k', 'v') };
}

function bytesOf(object: ReturnType<typeof configMap>, encoding: BodyEncoding): Buffer {
  if (encoding !== 'protobuf') return Buffer.from(JSON.stringify(object));
  return encodeUnknown({ apiVersion: 'v1', kind: 'ConfigMap', raw: encodeObject(schema, object) });
}

const sent = (values: number, ownerValues: number, encoding: BodyEncoding) =>
  decodeBody(reading, bytesOf(configMap(values, ownerValues), encoding), encoding, expected).then(
    () => 200,
    (error: StatusError) => error.code,
  );

test.each<BodyEncoding>(['json', 'yaml', 'protobuf'])(
  'who owns which field is counted apart in %s',
  async (encoding) => {
    // An item of a map is three values in protobuf.
    const values = encoding === 'protobuf' ? 300 : 900;
    expect(await sent(values, 200, encoding)).toBe(200);
    expect(await sent(values, 300, encoding)).toBe(413);
    expect(await sent(1_100, 10, encoding)).toBe(413);
  },
);
