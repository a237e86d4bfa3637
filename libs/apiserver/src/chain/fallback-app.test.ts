import { decodeProtobufObject } from '@orch/codec';
import { HealthRegistry, Metrics, silentLogger } from '@orch/runtime';
import { DEFAULT_FEATURES } from '@orch/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDiscoveryRoutes } from '../documents/discovery-routes.js';
import { VERSION } from '../server/version.js';
import { type TestApi, testApi } from '../testing/test-api.js';
import { openServer, type TestServer } from '../testing/test-server.js';
import { createFallbackApp } from './fallback-app.js';

let api: TestApi;
let server: TestServer;
beforeAll(async () => {
  api = await testApi();
  const { names, scheme } = api.deps;
  const app = createFallbackApp({
    health: new HealthRegistry({ logger: silentLogger }),
    metrics: new Metrics(),
    version: VERSION,
    discovery: createDiscoveryRoutes(api.served, {
      scheme,
      names,
      features: DEFAULT_FEATURES,
      release: VERSION.gitVersion,
    }),
  });
  server = await openServer(app);
});
afterAll(async () => {
  await server.close();
  api.close();
});

describe('what is not hot', () => {
  it.each([
    '/',
    '/version',
    '/metrics',
    '/livez',
    '/readyz',
    '/api',
    '/apis',
    '/api/v1',
    '/apis/apps',
    '/apis/apps/v1',
    '/openapi/v3',
  ])('GET %s', async (path) => {
    expect((await server.ask(path)).status).toBe(200);
  });

  it.each([
    ['GET', '/nosuch', 404],
    ['GET', '/apis/nosuch', 404],
    ['GET', '/apis/__proto__', 404],
    ['GET', '/api/constructor', 404],
    ['GET', '/openapi/v3/nosuch', 404],
    ['GET', '/livez/nosuch', 404],
    ['POST', '/api', 405],
    ['DELETE', '/', 405],
    ['POST', '/version/', 405],
    ['POST', '/nosuch', 404],
    ['POST', '/apis/nosuch', 404],
    ['GET', '/apis/%zz', 400],
    ['GET', '/apis/%E0%A4/v1', 400],
    ['GET', '/openapi/v3/%ff', 400],
    ['GET', '/livez/%', 400],
  ])('%s %s is a Status %i', async (method, path, code) => {
    const { status, body } = await server.ask(path, { method });
    expect(status).toBe(code);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: 'Status', status: 'Failure', code });
  });

  it.each([
    ['/api', 'meta/v1.APIVersions', ''],
    ['/apis', 'meta/v1.APIGroupList', ''],
    ['/apis/apps', 'meta/v1.APIGroup', ''],
    ['/apis/apps/v1', 'meta/v1.APIResourceList', ''],
    [
      '/apis',
      'apidiscovery/v2beta1.APIGroupDiscoveryList',
      ';g=apidiscovery.orch.io;v=v2beta1;as=APIGroupDiscoveryList',
    ],
  ])('GET %s as protobuf says the same as JSON (%s)', async (path, type, as) => {
    const { names, scheme } = api.deps;
    const ask = (accept: string) => server.ask(path, { headers: { accept: `${accept}${as}` } });
    const binary = await ask(names.protobufMediaType);
    expect(binary.headers['content-type']).toBe(`${names.protobufMediaType}${as}`);
    const { apiVersion: _none, ...said } = decodeProtobufObject(scheme.struct(type), binary.body);
    const { apiVersion: _also, ...json } = JSON.parse((await ask('application/json')).body.toString());
    const stripped = (value: unknown) => JSON.parse(JSON.stringify(value));
    expect(stripped(said)).toMatchObject(
      type.endsWith('APIVersions') ? { versions: json.versions } : { kind: json.kind },
    );
    if (json.groups) expect(stripped(said.groups)).toEqual(json.groups);
    if (json.items) expect((said.items as unknown[]).length).toBe(json.items.length);
    if (json.resources) expect((said.resources as unknown[]).length).toBe(json.resources.length);
  });

  it('names what discovery can be', async () => {
    const { status, body } = await server.ask('/apis', { headers: { accept: 'text/html' } });
    expect([status, JSON.parse(body.toString()).message]).toEqual([
      406,
      'only the following media types are accepted: application/json, application/yaml, application/vnd.orch.protobuf',
    ]);
  });

  it('tells nothing of what it is made of', async () => {
    expect((await server.ask('/version')).headers).not.toHaveProperty('x-powered-by');
  });
});
