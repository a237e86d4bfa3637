import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { VERSION } from '@orch/apiserver';
import { decodeProtobufObject } from '@orch/codec';
import { HealthRegistry, Metrics, silentLogger } from '@orch/runtime';
import { DEFAULT_FEATURES } from '@orch/schema';
import { openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDiscoveryRoutes } from './discovery-routes.js';
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

it('a request that says to be of HTTP/2 over a connection that is not is answered as any other', async () => {
  const socket = connect({ port: server.port, host: '127.0.0.1' });
  socket.end('GET /version HTTP/2.0\r\nHost: h\r\n\r\n');
  expect(String(Buffer.concat(await socket.toArray()))).toMatch(/^HTTP\/1.1 200 /);
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
    '/version/',
    '/api/',
    '/apis/',
    '/api/v1/',
    '/apis/apps/',
    '/apis/apps/v1/',
  ])('GET %s', async (path) => {
    expect((await server.ask(path)).status).toBe(200);
  });

  // As kube-apiserver 1.27.16 does.
  it.each([
    '/',
    '/apis',
    '/apis/',
    '/apis/apps',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/api/v1',
    '/metrics',
    '/livez',
  ])('is answered at %s whatever the method', async (path) => {
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect((await server.ask(path, { method })).status, method).toBe(200);
  });

  it.each(['/version', '/version/', '/api', '/api/v1', '/apis/apps/v1/'])('is at %s for GET alone', async (path) => {
    for (const method of ['HEAD', 'POST', 'OPTIONS']) expect((await server.ask(path, { method })).status).toBe(405);
  });

  it('is not to be kept without asking again', async () => {
    for (const path of [
      '/',
      '/version',
      '/api',
      '/apis',
      '/apis/apps/v1',
      '/openapi/v2',
      '/openapi/v3',
      '/livez',
      '/nosuch',
    ])
      expect((await server.ask(path)).headers['cache-control'], path).toBe('no-cache, private');
    const accept = 'application/json;g=apidiscovery.orch.io;v=v2beta1;as=APIGroupDiscoveryList';
    expect((await server.ask('/apis', { headers: { accept } })).headers['cache-control']).toBe('public');
  });

  it.each([
    ['GET', '/nosuch', 404],
    ['GET', '/apis/nosuch', 404],
    ['GET', '/apis/__proto__', 404],
    ['GET', '/api/constructor', 404],
    ['GET', '/openapi/v3/nosuch', 404],
    ['GET', '/livez/nosuch', 404],
    ['POST', '/api', 405],
    ['DELETE', '/api/v1/', 405],
    ['POST', '/apis/apps/v1', 405],
    ['POST', '/version/', 405],
    ['POST', '/nosuch', 404],
    ['OPTIONS', '/apis/apps/v1', 405],
    ['POST', '/openapi/v3/api/v1/', 404],
    // Whoever judges by the path has judged another.
    ['GET', '/METRICS', 404],
    ['GET', '/metrics/', 404],
    ['POST', '/metrics/', 404],
    ['GET', '/metrics/slis/', 404],
    ['GET', '/livez/', 404],
    ['GET', '/Livez', 404],
    ['GET', '/API', 404],
    ['GET', '/apis/Apps', 404],
    ['GET', '/apis/apps/V1', 404],
    ['GET', '/openapi/v2/', 404],
    ['GET', '/openapi/v3/', 404],
    ['GET', '/openapi/V3/api/v1', 404],
    ['GET', '/openapi/v3/api/v1/', 404],
    ['GET', '//metrics', 404],
    ['GET', '/version//', 404],
    ['GET', '/metrics;x', 404],
    ['GET', '/apis/../metrics', 404],
    ['GET', '/%6detrics', 404],
    ['GET', '/apis/%61pps', 404],
    ['GET', '/apis%2Fapps', 404],
    ['GET', '/openapi/v3/apis%2Fapps%2Fv1', 404],
    ['OPTIONS', '/openapi/v3/nosuch', 404],
    ['POST', '/openapi/v3/constructor', 404],
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

describe('documents of OpenAPI', () => {
  const V2 = 'application/com.github.proto-openapi.spec.v2';
  const BINARY = `${V2}.v1.0+protobuf`;
  const V3 = 'application/com.github.proto-openapi.spec.v3';
  it.each([
    ['/openapi/v2', undefined, 'application/json'],
    ['/openapi/v2', '*/*', 'application/json'],
    ['/openapi/v2', 'application/json;charset=utf-8', 'application/json'],
    ['/openapi/v2', `${V2}@v1.0+protobuf`, BINARY],
    ['/openapi/v2', BINARY, BINARY],
    ['/openapi/v2', `*/*, ${BINARY}`, BINARY],
    ['/openapi/v2', `application/json, ${V2}@v1.0+protobuf;q=0.5`, 'application/json'],
    ['/openapi/v2', `application/json;q=0.5, ${V2}@v1.0+protobuf`, BINARY],
    ['/openapi/v2', 'application/json;q=0, application/*', 'application/json'],
    ['/openapi/v2', 'text/html', undefined],
    ['/openapi/v3/api/v1', 'text/html, application/json;q=0.1', 'application/json'],
    ['/openapi/v3/api/v1', `${V3}@v1.0+protobuf`, `${V3}.v1.0+protobuf`],
    ['/openapi/v3/api/v1', `${V3}.v1.0+protobuf`, `${V3}.v1.0+protobuf`],
    ['/openapi/v3/api/v1', BINARY, undefined],
    ['/openapi/v3/api/v1', 'text/*', undefined],
  ])('%s for who takes %s', async (path, accept, type) => {
    const { status, headers } = await server.ask(path, accept === undefined ? {} : { headers: { accept } });
    expect(status).toBe(type ? 200 : 406);
    if (type) expect(headers['content-type']).toBe(type);
    if (type) expect(headers.vary).toContain('Accept');
  });

  it('are kept for ever only under the digest of their content', async () => {
    const path = '/openapi/v3/apis/apps/v1';
    const { headers } = await server.ask(path);
    const hash = headers.etag?.replaceAll('"', '');
    const asked = async (query: string) => {
      const answer = await server.ask(`${path}?${query}`);
      return [answer.status, answer.headers['cache-control'], answer.headers.location];
    };
    expect(await asked('hash=')).toEqual([200, 'no-cache, private', undefined]);
    expect(await asked(`hash=${hash}`)).toEqual([200, 'public, immutable', undefined]);
    for (const other of ['hash=A', 'hash=A&hash=B', `hash=A&hash=${hash}`])
      expect(await asked(other)).toEqual([301, 'no-cache, private', `${path}?hash=${hash}`]);
  });

  it.each(['/openapi/v2', '/openapi/v3/api/v1'])(
    '%s is compressed for who reads that, and known again',
    async (path) => {
      const plain = await server.ask(path);
      const packed = await server.ask(path, { headers: { 'accept-encoding': 'gzip' } });
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(packed.headers.vary).toContain('Accept-Encoding');
      expect(packed.body.length).toBeLessThan(plain.body.length / 5);
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
      const refused = await server.ask(path, { headers: { 'accept-encoding': 'gzip;q=0' } });
      expect(refused.headers).not.toHaveProperty('content-encoding');
      for (const encoding of ['gzip', 'identity']) {
        const tag = String(packed.headers.etag);
        const again = await server.ask(path, { headers: { 'accept-encoding': encoding, 'if-none-match': tag } });
        expect([again.status, again.body.length]).toEqual([304, 0]);
      }
    },
  );
});
