import type { ApiObject } from '@orch/machinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing/test-api.js';
import { listenerOf, openServer, type TestServer } from '../testing/test-server.js';

let api: TestApi;
let server: TestServer;
beforeEach(async () => {
  api = await testApi();
  server = await openServer(listenerOf(api));
});
afterEach(async () => {
  await server.close();
  api.close();
});

const PATH = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const DEPTH = 900;

/** Anything, by default what stands in the place of `nested`. */
const FREE = { 'x-kubernetes-preserve-unknown-fields': true, default: 'nested' };
/** A definition with a default of lists within each other. */
const DEEP = {
  metadata: { name: 'deeps.x.io' },
  spec: {
    group: 'x.io',
    scope: 'Cluster',
    names: { plural: 'deeps', kind: 'Deep' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { a: FREE } } },
      },
    ],
  },
};

describe('a JSON patch of what objects leave out and clients with declared types always write', () => {
  const path = '/apis/apps/v1/namespaces/default/deployments/d';
  const patch = async (...operations: object[]) => {
    const headers = { 'Content-Type': 'application/json-patch+json' };
    const answer = await server.ask(path, { method: 'PATCH', headers, body: JSON.stringify(operations) });
    return { status: answer.status, object: JSON.parse(answer.body.toString()) as ApiObject };
  };
  const resources = '/spec/template/spec/containers/0/resources';
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  beforeEach(() =>
    api.create('deployments', { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } }),
  );

  it('sets members of it', async () => {
    const { status, object } = await patch({ op: 'add', path: `${resources}/limits`, value: { cpu: '1' } });
    expect(status).toBe(200);
    expect(object).toMatchObject({
      spec: { template: { spec: { containers: [{ resources: { limits: { cpu: '1' } } }] } } },
    });
  });

  it('writes nothing when it only looks at it, or takes it away', async () => {
    const before = api.stored('deployments', 'd')?.metadata?.resourceVersion;
    const looked = await patch({ op: 'test', path: resources, value: {} }, { op: 'remove', path: resources });
    expect([looked.status, looked.object.metadata?.resourceVersion]).toEqual([200, before]);
    const parent = await patch({ op: 'add', path: `${resources}/limits`, value: null });
    expect([parent.status, parent.object.metadata?.resourceVersion]).toEqual([200, before]);
  });
});

it.each([
  [1, 10, 200],
  [1, DEPTH, 400],
  [10, DEPTH, 400],
])('of %i steps that go %i levels deeper is a %i', async (steps, depth, code) => {
  const json = { 'Content-Type': 'application/json' };
  const body = JSON.stringify(DEEP).replace('"nested"', nested(DEPTH));
  expect((await server.ask(PATH, { method: 'POST', headers: json, body })).status).toBe(201);
  const within = '/spec/versions/0/schema/openAPIV3Schema/properties/a/default';
  const operations = Array.from({ length: steps }, (_, step) => {
    const path = `${within}${'/0'.repeat(DEPTH - 1 + step * depth)}/-`;
    return `{"op":"add","path":"${path}","value":${nested(depth)}}`;
  });
  const headers = { 'Content-Type': 'application/json-patch+json' };
  const patched = await server.ask(`${PATH}/deeps.x.io`, { method: 'PATCH', headers, body: `[${operations}]` });
  expect(patched.status).toBe(code);
  if (code === 400) expect(JSON.parse(patched.body.toString())).toMatchObject({ message: 'exceeded max depth' });
});
