import { afterEach, beforeEach, expect, it } from 'vitest';
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
