import { encodeUnknown } from '@orch/codec';
import { expect, test } from 'vitest';
import type { Answer } from '../support/api.js';
import { configMap, configMaps, conformance, expectRefusal, expectStatus } from './conformance.js';

/** Field numbers of ObjectMeta, of an entry of its managedFields, of FieldsV1 and of a ConfigMap. */
const NAME = 1;
const NAMESPACE = 3;
const MANAGED_FIELDS = 17;
const ENTRY = { manager: 1, operation: 2, apiVersion: 3, fieldsType: 6, fieldsV1: 7 } as const;
const RAW = 1;
const METADATA = 1;
const DATA = 2;

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** A field of bytes. */
function field(number: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
}

/** A ConfigMap as a client with declared types sends it, which passes on the bytes of `fieldsV1` as they are. */
function body(name: string, namespace: string, entry: Buffer, value: string): Buffer {
  const metadata = field(METADATA, field(NAME, name), field(NAMESPACE, namespace), field(MANAGED_FIELDS, entry));
  const data = field(DATA, field(1, 'a'), field(2, value));
  return encodeUnknown({ apiVersion: 'v1', kind: 'ConfigMap', raw: Buffer.concat([metadata, data]) });
}

const entryOf = (fields: Buffer | string) =>
  Buffer.concat([
    field(ENTRY.manager, 'm'),
    field(ENTRY.operation, 'Update'),
    field(ENTRY.apiVersion, 'v1'),
    field(ENTRY.fieldsType, 'FieldsV1'),
    field(ENTRY.fieldsV1, field(RAW, fields)),
  ]);

const deep = (depth: number) => `${'{"f:a":'.repeat(depth)}{}${'}'.repeat(depth)}`;
const OWNED = '{"f:data":{".":{},"f:a":{}}}';

/** Bytes that are no set of fields. */
const HOSTILE: Readonly<Record<string, Buffer | string>> = {
  'no bytes': '',
  'a cut text': OWNED.slice(0, -3),
  'no JSON': 'not JSON',
  'no text': Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  'a text that is no UTF-8': Buffer.concat([Buffer.from('{"f:'), Buffer.from([0xff]), Buffer.from('":{}}')]),
  null: 'null',
  'a list': '[]',
  'a number': '1',
  'two objects': `${OWNED}${OWNED}`,
  'an element of no sort': '{"a":{}}',
  'an unreadable key': '{"f:data":{"k:{":{}}}',
  'a value that is no object': '{"f:data":1}',
  'very deep': deep(100_000),
  'names like those of objects themselves': '{"f:__proto__":{"f:constructor":{}},"__proto__":{}}',
};

conformance('Owners of fields in binary bodies [Server-side apply]', ({ api, names, namespace }) => {
  const send = (method: string, path: string, bytes: Buffer, contentType = names.protobufMediaType): Promise<Answer> =>
    api.request(method, path, { body: bytes, headers: { 'content-type': contentType } });
  /** Expects the stored object to have owners that every client can read. */
  async function expectReadable(path: string): Promise<void> {
    const found = expectStatus(await api.get(path), 200).json();
    for (const entry of found.metadata.managedFields ?? []) {
      expect(entry).toMatchObject({ fieldsType: 'FieldsV1', operation: expect.stringMatching(/^(Apply|Update)$/) });
      expect(Object.keys(entry.fieldsV1).every((key) => /^([fkvi]:|\.$)/.test(key))).toBe(true);
    }
    const binary = expectStatus(await api.get(path, { accept: names.protobufMediaType }), 200);
    expectStatus(await send('PUT', path, binary.body), 200);
    expectStatus(await api.apply(path, 'later', configMap(found.metadata.name, { data: { b: '1' } })), 200);
  }

  test('that can be read count', async () => {
    const place = configMaps(await namespace());
    const inside = place.split('/')[4] ?? '';
    expectStatus(await send('POST', `${place}?fieldManager=me`, body('a', inside, entryOf(OWNED), '1')), 201);
    // Who creates owns all.
    const { managedFields } = (await api.get(`${place}/a`)).json().metadata;
    expect(managedFields?.map(({ manager }) => manager)).toEqual(['me']);
    const taken = body('a', inside, entryOf(OWNED), '2');
    expectStatus(await send('PUT', `${place}/a?fieldManager=me`, taken), 200);
    const after = (await api.get(`${place}/a`)).json().metadata.managedFields;
    expect(after?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ['m', { 'f:data': {} }],
      ['me', { 'f:data': { 'f:a': {} } }],
    ]);
    await expectReadable(`${place}/a`);
  });

  test.each(Object.entries(HOSTILE))('that are %s', async (_what, bytes) => {
    const place = configMaps(await namespace());
    const inside = place.split('/')[4] ?? '';
    for (const [name, method, path] of [
      ['a', 'POST', place],
      ['b', 'PUT', `${place}/b`],
    ] as const) {
      if (method === 'PUT') expectStatus(await api.post(place, configMap(name)), 201);
      const answer = await send(method, path, body(name, inside, entryOf(bytes), '2'));
      if (answer.status >= 300) expectRefusal(answer, 400, 'BadRequest');
      else await expectReadable(`${place}/${name}`);
    }
  });

  test('that are cut within the binary form are refused', async () => {
    const place = configMaps(await namespace());
    const inside = place.split('/')[4] ?? '';
    const whole = entryOf(OWNED);
    for (let length = 1; length < whole.length; length++) {
      const answer = await send('POST', `${place}?dryRun=All`, body('a', inside, whole.subarray(0, length), '1'));
      if (answer.status !== 201) expectRefusal(answer, answer.status === 422 ? 422 : 400, answer.json().reason ?? '');
      expect([201, 400, 422]).toContain(answer.status);
    }
  });

  test('of huge keys and thousands of paths are stored or refused', async () => {
    const place = configMaps(await namespace());
    const inside = place.split('/')[4] ?? '';
    const paths = (count: number) => `{${Array.from({ length: count }, (_, at) => `"f:k${at}":{}`).join()}}`;
    for (const fields of [
      `{"f:${'x'.repeat(500_000)}":{}}`,
      `{"f:data":${paths(10_000)}}`,
      `{"f:data":${paths(60_000)}}`,
    ]) {
      const answer = await send('POST', place, body('a', inside, entryOf(fields), '1'));
      if (answer.status >= 300) expect([400, 413, 422], answer.text).toContain(answer.status);
      else await expectReadable(`${place}/a`);
      await api.delete(`${place}/a`);
    }
  });

  test('are not applied: an apply is no binary body', async () => {
    const place = configMaps(await namespace());
    const bytes = body('a', place.split('/')[4] ?? '', entryOf(OWNED), '1');
    const path = `${place}/a?fieldManager=m`;
    expectRefusal(await send('PATCH', path, bytes), 415, 'UnsupportedMediaType');
    expectRefusal(await send('PATCH', path, bytes, 'application/apply-patch+yaml'), 400, 'BadRequest');
  });
});
