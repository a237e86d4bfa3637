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
} from './conformance.js';

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** The messages of a binary stream, each behind its length in four bytes. */
function framesOf(body: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 4 + body.readUInt32BE(at);
    expect(end).toBeLessThanOrEqual(body.length);
    frames.push(body.subarray(at + 4, end));
    at = end;
  }
  return frames;
}

conformance('The binary encoding [Protobuf envelope]', ({ api, names, namespace }) => {
  const media = names.protobufMediaType;
  const headers = { accept: media };

  test('begins with its prefix and names apiVersion and kind in the envelope', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const { body } = expectStatus(await api.get(`${configMaps(ns)}/a`, headers), 200);
    const type = Buffer.concat([
      Buffer.from([0x0a, 2]),
      Buffer.from('v1'),
      Buffer.from([0x12, 9]),
      Buffer.from('ConfigMap'),
    ]);
    expect(body.subarray(0, 4)).toEqual(MAGIC);
    expect(body.subarray(4, 6 + type.length)).toEqual(Buffer.concat([Buffer.from([0x0a, type.length]), type]));
  });

  test('what was left out in JSON is not changed by a client that writes zeros', async () => {
    const ns = await namespace();
    const path = `/apis/apps/v1/namespaces/${ns}/statefulsets`;
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const set = { metadata: { name: 'a' }, spec: { selector: { matchLabels: labels }, template } };
    const created = expectStatus(
      await api.post(path, { apiVersion: 'apps/v1', kind: 'StatefulSet', ...set }),
      201,
    ).json<ApiObject>();
    const { body } = expectStatus(await api.get(`${path}/a`, headers), 200);
    const settings = { body, headers: { 'content-type': media } };
    const written = expectStatus(await api.request('PUT', `${path}/a`, settings), 200).json<ApiObject>();
    expect(written.metadata.generation).toBe(1);
    expect(written.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  test('what was read in it can be written in it, to another name as well', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('a', { labels: { x: 'y' }, data: { k: 'ü' } })), 201);
    const { body } = expectStatus(await api.get(`${configMaps(ns)}/a`, headers), 200);
    const settings = { body, headers: { ...headers, 'content-type': media } };
    const same = expectStatus(await api.request('PUT', `${configMaps(ns)}/a`, settings), 200);
    expect(same.body).toEqual(body);
    expectRefusal(
      await api.request('PUT', `${configMaps(ns)}/b`, { ...settings, headers: { 'content-type': media } }),
      404,
      'NotFound',
    );
    const settled = await api.request('POST', configMaps(ns), { body, headers: { 'content-type': media } });
    expectStatus(settled, 400); // it carries a resourceVersion
  });

  test('a watch is frames of events; every change is one', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    expectStatus(await api.put(`${configMaps(ns)}/a`, configMap('a', { data: { a: '2' } })), 200);
    expectStatus(await api.delete(`${configMaps(ns)}/a`), 200);
    const query = `watch=1&timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion=${created?.metadata.resourceVersion}`;
    const message = await api.open('GET', `${configMaps(ns)}?${query}`, { headers });
    const pieces: Buffer[] = [];
    for await (const piece of message) pieces.push(piece as Buffer);
    const types = framesOf(Buffer.concat(pieces)).map((frame) => {
      expect(frame.includes(MAGIC)).toBe(true);
      return frame.subarray(2, 2 + (frame[1] ?? 0)).toString();
    });
    expect(types).toEqual(['MODIFIED', 'DELETED', 'BOOKMARK']);
  });

  test('partial metadata comes in it, for objects, lists and watches', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('a', { data: { k: 'content-of-a' } })), 201);
    const as = (kind: string) => ({ accept: `${media};as=${kind};g=${names.metaGroup};v=v1,application/json` });
    const one = expectStatus(await api.get(`${configMaps(ns)}/a`, as('PartialObjectMetadata')), 200);
    const many = expectStatus(await api.get(configMaps(ns), as('PartialObjectMetadataList')), 200);
    for (const { body, headers: got } of [one, many]) {
      expect(got['content-type']).toMatch(new RegExp(`^${media.replaceAll('.', '\\.')}`));
      expect(body.subarray(0, 4)).toEqual(MAGIC);
      expect(body.includes('PartialObjectMetadata')).toBe(true);
      expect(body.includes('content-of-a')).toBe(false);
      expect(body.includes(ns)).toBe(true);
    }
    const message = await api.open('GET', `${configMaps(ns)}?watch=1&timeoutSeconds=1`, {
      headers: as('PartialObjectMetadata'),
    });
    const pieces: Buffer[] = [];
    for await (const piece of message) pieces.push(piece as Buffer);
    const [event] = framesOf(Buffer.concat(pieces));
    expect(event?.includes('PartialObjectMetadata')).toBe(true);
    expect(event?.includes('content-of-a')).toBe(false);
  });

  test('tables have none: 406 alone, the fallback when one is listed', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const table = `;as=Table;g=${names.metaGroup};v=v1`;
    expectRefusal(await api.get(configMaps(ns), { accept: `${media}${table}` }), 406, 'NotAcceptable');
    const accept = `${media}${table},application/json${table},application/json`;
    expect(expectStatus(await api.get(configMaps(ns), { accept }), 200).json().kind).toBe('Table');
  });

  test('a deletion and its options, a conflict and a missing object speak it', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    expectStatus(await api.put(`${configMaps(ns)}/a`, configMap('a', { data: { a: '2' } })), 200);
    const asked = { ...headers, 'content-type': 'application/json' };
    const conflict = await api.request('PUT', `${configMaps(ns)}/a`, {
      body: { ...created, data: {} },
      headers: asked,
    });
    const deleted = await api.request('DELETE', `${configMaps(ns)}/a`, { headers });
    const missing = await api.request('GET', `${configMaps(ns)}/a`, { headers });
    for (const [answer, code, text] of [
      [conflict, 409, 'Conflict'],
      [deleted, 200, 'Success'],
      [missing, 404, 'NotFound'],
    ] as const) {
      expect(answer.status).toBe(code);
      expect(answer.headers['content-type']).toBe(media);
      expect(answer.body.subarray(0, 4)).toEqual(MAGIC);
      expect(answer.body.includes('Status') && answer.body.includes(text)).toBe(true);
    }
  });

  test('a document without content is refused', async () => {
    const ns = await namespace();
    const settings = { body: MAGIC, headers: { 'content-type': media } };
    expectRefusal(await api.request('POST', configMaps(ns), settings), 400, 'BadRequest');
  });
});

conformanceWithoutNames('YAML [Headers]', ({ api, namespace }) => {
  const headers = { accept: 'application/yaml' };

  test('lists, refusals and deletions come in it', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const found = expectStatus(await api.get(configMaps(ns), headers), 200);
    expect(found.headers['content-type']).toBe('application/yaml');
    expect(found.text).toMatch(/^kind: ConfigMapList$/m);
    const missing = expectStatus(await api.get(`${configMaps(ns)}/b`, headers), 404);
    expect(missing.headers['content-type']).toBe('application/yaml');
    expect(missing.text).toMatch(/^reason: NotFound$/m);
    const deleted = expectStatus(await api.request('DELETE', `${configMaps(ns)}/a`, { headers }), 200);
    expect(deleted.text).toMatch(/^status: Success$/m);
  });

  test('has no stream: a watch in it is 406', async () => {
    const ns = await namespace();
    const answer = await api.get(`${configMaps(ns)}?watch=1&timeoutSeconds=1`, headers);
    expect(expectStatus(answer, 406).text).toMatch(/^reason: NotAcceptable$/m);
  });

  test('texts that YAML would read as something else stay texts', async () => {
    const ns = await namespace();
    const data = {
      a: 'yes',
      b: '0123',
      c: '1e3',
      d: 'null',
      e: '2024-01-02',
      f: ' x ',
      g: 'a: b',
      h: '- c',
      i: '',
      j: 'l1\nl2\n',
    };
    expectStatus(await api.post(configMaps(ns), configMap('a', { data })), 201);
    const { body } = expectStatus(await api.get(`${configMaps(ns)}/a`, headers), 200);
    const settings = { body, headers: { 'content-type': 'application/yaml' } };
    expect(expectStatus(await api.request('PUT', `${configMaps(ns)}/a`, settings), 200).json().data).toEqual(data);
  });
});

conformance('Tables [Table representation]', ({ api, names, namespace }) => {
  const accept = `application/json;as=Table;g=${names.metaGroup};v=v1`;

  test('a kind with no columns of its own has Name (string) and Created At (date)', async () => {
    const ns = await namespace();
    const body = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits: [] } };
    expectStatus(await api.post(`/api/v1/namespaces/${ns}/limitranges`, body), 201);
    const table = expectStatus(await api.get(`/api/v1/namespaces/${ns}/limitranges`, { accept }), 200).json();
    expect(table.columnDefinitions.map(({ name, type }: { name: string; type: string }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Created At', 'date'],
    ]);
    expect(table.rows[0].cells).toEqual(['l', expect.stringMatching(/^\d{4}-\d\d-\d\dT/)]);
  });

  test('one object is a table of one row; what a write answers may be one too', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const one = expectStatus(await api.get(`${configMaps(ns)}/a`, { accept }), 200).json();
    expect(one.rows.map(({ cells }: { cells: unknown[] }) => cells[0])).toEqual(['a']);
    const headers = { accept, 'content-type': 'application/json' };
    const written = await api.request('POST', configMaps(ns), { body: configMap('b'), headers });
    expect(expectStatus(written, 201).json()).toMatchObject({
      kind: 'Table',
      rows: [{ cells: ['b', 1, expect.anything()] }],
    });
  });

  test('a watch in them carries bookmarks with a version', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const stream = await api.watch(`${configMaps(ns)}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true`, { accept });
    const events = await stream.rest();
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(events[1]?.object).toMatchObject({
      kind: 'Table',
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
    });
  });

  test('an includeObject that is none is 400', async () => {
    const ns = await namespace();
    expectRefusal(await api.get(`${configMaps(ns)}?includeObject=Some`, { accept }), 400, 'BadRequest');
  });
});

conformanceWithoutNames('Response compression [Response compression]', ({ api, namespace }) => {
  const gzip = { 'accept-encoding': 'gzip' };
  const data = { filling: 'abcdefgh'.repeat(20_000) };

  test('small answers, answers to writes and answers to those that refuse it are not compressed', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const small = expectStatus(await api.get(configMaps(ns), gzip), 200);
    const headers = { ...gzip, 'content-type': 'application/json' };
    const written = expectStatus(
      await api.request('POST', configMaps(ns), { body: configMap('big', { data }), headers }),
      201,
    );
    const refusing = expectStatus(await api.get(configMaps(ns), { 'accept-encoding': 'gzip;q=0, identity' }), 200);
    for (const answer of [small, written, refusing]) expect(answer.headers).not.toHaveProperty('content-encoding');
  });

  test('a large object is, a watch never', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('big', { data })), 201);
    const get = expectStatus(await api.get(`${configMaps(ns)}/big`, gzip), 200);
    expect(get.headers['content-encoding']).toBe('gzip');
    const message = await api.open('GET', `${configMaps(ns)}?watch=1&timeoutSeconds=1`, { headers: gzip });
    expect(message.headers).not.toHaveProperty('content-encoding');
    message.destroy();
  });
});
