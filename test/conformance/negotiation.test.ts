import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ApiObject } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformance,
  conformanceWithoutNames,
  createAll,
  expectRefusal,
  expectStatus,
  list,
} from './conformance.js';

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

conformance('Content negotiation [Headers]', ({ api, names, namespace }) => {
  test('JSON is what comes without an Accept header, and for any', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    for (const accept of [undefined, '*/*', 'application/*', 'application/json']) {
      const answer = expectStatus(await api.get(`${configMaps(ns)}/a`, accept ? { accept } : {}), 200);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.json().metadata.name).toBe('a');
    }
  });

  test('the first of several media types that is served is taken', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const table = `application/json;as=Table;v=v1;g=${names.metaGroup}`;
    const fallback = expectStatus(
      await api.get(`${configMaps(ns)}/a`, { accept: 'text/x-none, application/json' }),
      200,
    );
    expect(fallback.json().kind).toBe('ConfigMap');
    const first = expectStatus(await api.get(`${configMaps(ns)}/a`, { accept: `${table},application/json` }), 200);
    expect(first.json().kind).toBe('Table');
    const unknownTable = 'application/json;as=Table;v=v9;g=nowhere.example';
    const second = expectStatus(
      await api.get(`${configMaps(ns)}/a`, { accept: `${unknownTable},application/json` }),
      200,
    );
    expect(second.json().kind).toBe('ConfigMap');
  });

  test.each(['text/x-none', 'application/cbor', 'application/json;as=Table;v=v9;g=nowhere.example'])(
    'Accept: %s alone is 406',
    async (accept) => {
      const ns = await namespace();
      expectRefusal(await api.get(configMaps(ns), { accept }), 406, 'NotAcceptable');
    },
  );

  test('YAML in and out', async () => {
    const ns = await namespace();
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: "yes"\n';
    const headers = { 'content-type': 'application/yaml', accept: 'application/yaml' };
    const answer = expectStatus(await api.request('POST', configMaps(ns), { body, headers }), 201);
    expect(answer.headers['content-type']).toBe('application/yaml');
    expect(answer.text).toMatch(/^kind: ConfigMap$/m);
    expect(expectStatus(await api.get(`${configMaps(ns)}/a`), 200).json().data).toEqual({ k: 'yes' });
  });

  test('the binary encoding in and out', async () => {
    const ns = await namespace();
    const headers = { accept: names.protobufMediaType, 'content-type': names.protobufMediaType };
    const created = expectStatus(
      await api.request('POST', configMaps(ns), { body: configMap('a'), headers: { accept: names.protobufMediaType } }),
      201,
    );
    expect(created.headers['content-type']).toBe(names.protobufMediaType);
    expect(created.body.subarray(0, 4)).toEqual(MAGIC);
    // The same length of value, so that no length in the message changes.
    const at = created.body.lastIndexOf('1');
    const changed = Buffer.from(created.body);
    changed.write('7', at);
    expectStatus(await api.request('PUT', `${configMaps(ns)}/a`, { body: changed, headers }), 200);
    expect(expectStatus(await api.get(`${configMaps(ns)}/a`), 200).json().data).toEqual({ a: '7' });
    const listed = expectStatus(await api.get(configMaps(ns), { accept: names.protobufMediaType }), 200);
    expect(listed.body.subarray(0, 4)).toEqual(MAGIC);
    expect(listed.body.includes('ConfigMapList')).toBe(true);
  });

  test.each([
    ['an empty body', Buffer.alloc(0)],
    ['no prefix', Buffer.from('hello')],
    ['a cut message', Buffer.concat([MAGIC, Buffer.from([0x0a, 0xff, 0x01])])],
    ['JSON', Buffer.from(JSON.stringify(configMap('a')))],
  ])('a binary body that is %s is refused', async (_, body) => {
    const ns = await namespace();
    const headers = { 'content-type': names.protobufMediaType };
    expectRefusal(await api.request('POST', configMaps(ns), { body, headers }), 400, 'BadRequest');
  });

  test('a body of an unknown media type is 415', async () => {
    const ns = await namespace();
    const settings = { body: '<a/>', headers: { 'content-type': 'application/xml' } };
    expectRefusal(await api.request('POST', configMaps(ns), settings), 415, 'UnsupportedMediaType');
  });

  test('a refusal comes in an encoding that the client reads', async () => {
    const ns = await namespace();
    const answer = expectStatus(await api.get(`${configMaps(ns)}/none`, { accept: names.protobufMediaType }), 404);
    expect([names.protobufMediaType, 'application/json']).toContain(answer.headers['content-type']);
    expect(answer.body.includes('NotFound')).toBe(true);
  });
});

conformance('Tables and partial metadata [Table representation]', ({ api, names, namespace }) => {
  const table = `application/json;as=Table;g=${names.metaGroup};v=v1`;

  test('a table has columns with name and type, and rows with the metadata of their objects', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b']);
    const found = expectStatus(await api.get(configMaps(ns), { accept: table }), 200).json();
    expect(found).toMatchObject({ kind: 'Table', apiVersion: `${names.metaGroup}/v1` });
    expect(found.metadata.resourceVersion).toMatch(/^\d+$/);
    for (const column of found.columnDefinitions) {
      expect(column).toMatchObject({ name: expect.any(String), type: expect.any(String) });
    }
    expect(found.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(found.rows).toHaveLength(2);
    expect(found.rows[0].cells.slice(0, 2)).toEqual(['a', 1]);
    expect(found.rows[0].object).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { name: 'a', namespace: ns },
    });
    expect(found.rows[0].object).not.toHaveProperty('data');
  });

  test('includeObject chooses what rows carry', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const rows = async (value: string) =>
      expectStatus(await api.get(`${configMaps(ns)}?includeObject=${value}`, { accept: table }), 200).json().rows;
    expect((await rows('Object'))[0].object).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
    expect((await rows('None'))[0].object ?? null).toBeNull();
    expectRefusal(await api.get(`${configMaps(ns)}?includeObject=Some`, { accept: table }), 400, 'BadRequest');
  });

  test('pages of tables carry their continue token', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b', 'c']);
    const first = expectStatus(await api.get(`${configMaps(ns)}?limit=2`, { accept: table }), 200).json();
    expect(first.rows).toHaveLength(2);
    const token = encodeURIComponent((first.metadata as unknown as { continue: string }).continue);
    const rest = expectStatus(await api.get(`${configMaps(ns)}?continue=${token}`, { accept: table }), 200).json();
    expect(rest.rows.map(({ cells }: { cells: unknown[] }) => cells[0])).toEqual(['c']);
  });

  test('pods show readiness, status, restarts and age', async () => {
    const ns = await namespace();
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
    expectStatus(await api.post(`/api/v1/namespaces/${ns}/pods`, pod), 201);
    const found = expectStatus(await api.get(`/api/v1/namespaces/${ns}/pods`, { accept: table }), 200).json();
    const columns = found.columnDefinitions.filter(({ priority }: { priority: number }) => priority === 0);
    expect(columns.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Ready', 'Status', 'Restarts', 'Age']);
    expect(found.rows[0].cells.slice(0, 4)).toEqual(['p', '0/1', 'Pending', '0']);
  });

  test('partial metadata is the object without its content, singly and in lists', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const one = `application/json;as=PartialObjectMetadata;g=${names.metaGroup};v=v1`;
    const many = `application/json;as=PartialObjectMetadataList;g=${names.metaGroup};v=v1`;
    const partial = expectStatus(await api.get(`${configMaps(ns)}/a`, { accept: one }), 200).json();
    expect(partial).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: `${names.metaGroup}/v1` });
    expect(Object.keys(partial).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    const partials = expectStatus(await api.get(configMaps(ns), { accept: many }), 200).json();
    expect(partials.kind).toBe('PartialObjectMetadataList');
    expect(partials.items[0].metadata.name).toBe('a');
    expect(partials.items[0]).not.toHaveProperty('data');
  });
});

conformanceWithoutNames('Compression and indentation [Response compression]', ({ api, namespace }) => {
  test('a long list may be compressed, and is the same list', async () => {
    const ns = await namespace();
    const data = { filling: 'abcdefgh'.repeat(4000) };
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      expectStatus(await api.post(configMaps(ns), configMap(name, { data })), 201);
    }
    const plain = expectStatus(await api.get(configMaps(ns)), 200);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const packed = expectStatus(await api.get(configMaps(ns), { 'accept-encoding': 'gzip' }), 200);
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers.vary).toMatch(/accept-encoding/i);
    expect(packed.body.length).toBeLessThan(plain.body.length / 10);
    // Others write to other namespaces meanwhile: the version of the list may be another one.
    const unversioned = ({ metadata, ...list }: ApiObject) => ({
      ...list,
      metadata: { ...metadata, resourceVersion: undefined },
    });
    expect(unversioned(JSON.parse(gunzipSync(packed.body).toString()))).toEqual(unversioned(plain.json()));
  });

  test('pretty indents, and its absence does not', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const plain = expectStatus(await api.get(`${configMaps(ns)}/a`), 200);
    const pretty = expectStatus(await api.get(`${configMaps(ns)}/a?pretty=true`), 200);
    expect(plain.text.trimEnd()).not.toContain('\n');
    expect(pretty.text).toMatch(/^\{\n {2}"/);
    expect(pretty.json()).toEqual(plain.json());
    const withDryRun = await api.post(`${configMaps(ns)}?dryRun=All&pretty=true`, configMap('b'));
    expect(expectStatus(withDryRun, 201).text).toMatch(/^\{\n {2}"/);
  });

  test('a list keeps its content through every representation', async () => {
    const ns = await namespace();
    const data = { text: 'quotes " and \\ and \u2028 and ü and 𝄞', empty: '' };
    expectStatus(await api.post(configMaps(ns), configMap('a', { data })), 201);
    expect((await list(api, configMaps(ns))).items[0]?.data).toEqual(data);
    expect(expectStatus(await api.get(`${configMaps(ns)}/a?pretty=1`), 200).json<ApiObject>().data).toEqual(data);
  });
});
