import { ensureMetadata, type JsonObject } from '@orch/machinery';
import { customServer, definitionOf, version } from '@orch/testing';
import { serverItself } from '@orch/writing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from './endpoint.js';

const BASE = '/apis/example.test/v1/namespaces/default/widgets';
/** Each is two values, of which an object may have 50,000. */
const ITEMS = 20_000;

const server = customServer();
const { ask, serve } = server;

/** A schema whose items have so many fields with a default. */
const schemaWith = (fields: number) => {
  const properties = Object.fromEntries(
    Array.from({ length: fields }, (_, at) => [`field${at}`, { type: 'string', default: `default ${at}` }]),
  );
  const items = { type: 'array', items: { type: 'object', properties: { a: { type: 'string' }, ...properties } } };
  return { type: 'object', properties: { spec: { type: 'object', properties: { items } } } };
};
const serveWith = (fields: number) => serve(definitionOf([version('v1', schemaWith(fields))]));
const widget = (name: string, count: number, metadata: object = {}) => ({
  apiVersion: 'example.test/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec: { items: Array(count).fill({}) },
});
const MERGE = 'application/merge-patch+json';

describe.each([
  ['more than a request may', 5],
  ['beyond all measure', 40],
])('an object that younger defaults let grow to %s', (_what, fields) => {
  let endpoint: Endpoint;
  beforeEach(async () => {
    await serveWith(0);
    const large = widget('large', ITEMS, { finalizers: ['example.test/f'] });
    for (const each of [large, widget('small', 1)]) expect((await ask('POST', BASE, each)).status).toBe(201);
    endpoint = (await serveWith(fields))[0] ?? expect.unreachable();
  });

  it('is read, alone and in lists, as are others beside it', async () => {
    const read = await ask('GET', `${BASE}/large`);
    expect(read.status).toBe(200);
    expect(read.body.spec.items).toHaveLength(ITEMS);
    expect(read.body.spec.items[0]).toMatchObject({ field0: 'default 0' });
    const list = await ask('GET', BASE);
    expect([list.status, list.body.items.length]).toEqual([200, 2]);
    const small = list.body.items.find(({ metadata }: { metadata: JsonObject }) => metadata.name === 'small');
    expect(Object.keys(small.spec.items[0])).toHaveLength(fields);
  });

  it('is marked, loses its finalizers, and goes', async () => {
    expect((await ask('DELETE', `${BASE}/large`)).status).toBe(200);
    const { body } = await ask('GET', `${BASE}/large`);
    expect(body.metadata.deletionTimestamp).toBeDefined();
    const patched = await ask('PATCH', `${BASE}/large`, { metadata: { finalizers: null } }, MERGE);
    expect(patched.status, patched.body.message).toBe(200);
    expect((await ask('GET', `${BASE}/large`)).status).toBe(404);
  });

  it('goes with its collection', async () => {
    const { status, body } = await ask('PATCH', `${BASE}/large`, { metadata: { finalizers: null } }, MERGE);
    expect(status, body.message).toBe(200);
    expect((await ask('DELETE', BASE)).status).toBe(200);
    expect((await ask('GET', BASE)).body.items.length).toBe(0);
  });

  it('does not grow by what clients add', async () => {
    const more = { spec: { items: Array(ITEMS + 10).fill({ a: 'x'.repeat(10) }) } };
    expect((await ask('PATCH', `${BASE}/large`, more, MERGE)).status).toBe(413);
  });

  it('is changed with all of its defaults, or not at all', async () => {
    const move = [{ op: 'move', from: '/spec/items/0', path: '/spec/items/-' }];
    const { status, body } = await ask('PATCH', `${BASE}/large`, move, 'application/json-patch+json');
    if (ITEMS * fields < 500_000) {
      expect([status, body.spec.items.every((each: JsonObject) => Object.keys(each).length === fields)]).toEqual([
        200,
        true,
      ]);
    } else {
      expect([status, body.message]).toEqual([413, expect.stringMatching(/there is no room for all defaults/)]);
    }
  });

  it('takes what the server has to write itself', async () => {
    const key = { namespace: 'default', name: 'large' };
    const own = { caller: serverItself(), options: { dryRun: false }, changeKind: 'internal' } as const;
    await server.api.deps.pipeline.write(
      { operation: 'UPDATE', endpoint, key, subresource: '', ...own },
      {
        change(object) {
          ensureMetadata(object).labels = { marked: 'x'.repeat(60) };
          return object;
        },
      },
    );
    expect((await ask('GET', `${BASE}/large`)).body.metadata.labels).toEqual({ marked: 'x'.repeat(60) });
  });

  it('is not made anew', async () => {
    expect((await ask('POST', BASE, widget('new', ITEMS))).status).toBe(413);
    expect((await ask('GET', `${BASE}/new`)).status).toBe(404);
  });
});
