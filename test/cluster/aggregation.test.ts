import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { type ExtensionServer, startExtensionServer } from '../support/extension-server.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const POLL = { timeout: 20_000, interval: 20 };
const REGISTRATIONS = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAME = 'v1.example.com';
const GROUP_VERSION = '/apis/example.com/v1';
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

/** Discovery documents of the extension server. */
const DOCUMENTS: Readonly<Record<string, object>> = {
  [GROUP_VERSION]: {
    kind: 'APIResourceList',
    groupVersion: 'example.com/v1',
    resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'] }],
  },
  '/openapi/v3': {
    paths: {
      version: { serverRelativeURL: '/openapi/v3/version?hash=V' },
      'apis/example.com/v1': { serverRelativeURL: '/openapi/v3/apis/example.com/v1?hash=H' },
    },
  },
  '/openapi/v3/apis/example.com/v1': { openapi: '3.0.0' },
  '/openapi/v2': {
    swagger: '2.0',
    paths: { [`${GROUP_VERSION}/things`]: { get: { responses: {} } }, '/version': 'theirs' },
  },
};

let server: Standalone;
let api: Api;
beforeAll(async () => {
  server = await startStandalone({ users: ['jane'] });
  api = new Api({ url: server.url, ca: server.ca, token: server.token });
});
afterAll(async () => {
  api?.close();
  await server?.stop();
});

/** The condition `Available`: status, reason and message. */
async function availability(name: string): Promise<string[] | undefined> {
  const { status } = (await api.get(`${REGISTRATIONS}/${name}`)).json();
  const found = status?.conditions?.find(({ type }: ApiObject) => type === 'Available');
  return found && [found.status, found.reason, found.message];
}

const registrations = async (): Promise<ApiObject[]> => (await api.get(REGISTRATIONS)).json().items;

describe('what is served here', () => {
  test('is registered, with its priorities, and is always there', async () => {
    await expect.poll(async () => (await registrations()).length, POLL).toBeGreaterThan(15);
    await expect
      .poll(() => availability('v1.'), POLL)
      .toEqual(['True', 'Local', 'Local APIServices are always available']);
    const all = await registrations();
    const specs = Object.fromEntries(all.map(({ metadata, spec }) => [metadata.name, spec]));
    expect(specs['v1.']).toEqual({ version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 });
    expect(specs['v1.apps']).toEqual({
      group: 'apps',
      version: 'v1',
      groupPriorityMinimum: 17_800,
      versionPriority: 15,
    });
    expect(specs['v1.apiregistration.k8s.io']).toBeUndefined();
    expect(new Set(all.map(({ metadata }) => metadata.labels?.[AUTOMANAGED]))).toEqual(new Set(['onstart']));
  });

  test('may be let go of until the server starts again', async () => {
    expect((await api.delete(`${REGISTRATIONS}/v1.batch`)).status).toBe(200);
    expect((await api.get('/apis/batch/v1/jobs')).status).toBe(200);
  });
});

describe('the group-version of a definition', () => {
  const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

  test('is registered and goes with it, and is made again when somebody removes it', async () => {
    const names = { plural: 'widgets', kind: 'Widget' };
    const version = { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    await api.post(DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.defined.com' },
      spec: { group: 'defined.com', scope: 'Namespaced', names, versions: [version] },
    });
    const label = async () => (await api.get(`${REGISTRATIONS}/v2.defined.com`)).json().metadata?.labels?.[AUTOMANAGED];
    await expect.poll(label, POLL).toBe('true');
    expect((await api.get(`${REGISTRATIONS}/v2.defined.com`)).json().spec).toEqual({
      group: 'defined.com',
      version: 'v2',
      groupPriorityMinimum: 1000,
      versionPriority: 100,
    });
    await api.delete(`${REGISTRATIONS}/v2.defined.com`);
    await expect.poll(label, POLL).toBe('true');
    await api.delete(`${DEFINITIONS}/widgets.defined.com`);
    await expect.poll(async () => (await api.get(`${REGISTRATIONS}/v2.defined.com`)).status, POLL).toBe(404);
  });
});

describe('a group-version that another server answers for', () => {
  let extension: ExtensionServer;
  const seen: IncomingMessage[] = [];

  beforeAll(async () => {
    extension = await startExtensionServer('things', 'default', (req, res) => {
      const { pathname, searchParams } = new URL(req.url ?? '/', 'https://x');
      if (pathname.startsWith(`${GROUP_VERSION}/`)) seen.push(req);
      const document = DOCUMENTS[pathname];
      res.writeHead(document || pathname.startsWith(GROUP_VERSION) ? 200 : 404, { 'content-type': 'application/json' });
      if (searchParams.get('watch') === '1') res.write('{"type":"ADDED","object":{"n":1}}\n');
      else res.end(JSON.stringify(document ?? {}));
    });
  });
  afterAll(() => extension?.stop());

  const service = (type: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'things' },
    spec: { type, ...more },
  });

  test('is not there as long as its service is not, and says why', async () => {
    const spec = {
      group: 'example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      caBundle: extension.caBundle,
      service: { namespace: 'default', name: 'things', port: extension.port },
    };
    const registration = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: NAME },
      spec,
    };
    expect((await api.post(REGISTRATIONS, registration)).status).toBe(201);
    await expect
      .poll(() => availability(NAME), POLL)
      .toEqual(['False', 'ServiceNotFound', 'service/things in "default" is not present']);
    const refused = await api.get(`${GROUP_VERSION}/things`);
    expect([refused.status, refused.json().reason, refused.json().message, refused.headers['retry-after']]).toEqual([
      503,
      'ServiceUnavailable',
      'service unavailable',
      undefined,
    ]);
    await api.post('/api/v1/namespaces/default/services', service('ClusterIP', { ports: [{ port: 1 }] }));
    await expect.poll(async () => (await availability(NAME))?.[1], POLL).toBe('ServicePortError');
    await api.delete('/api/v1/namespaces/default/services/things');
  });

  test('is there when its server answers, and gets requests with who asks', async () => {
    await api.post('/api/v1/namespaces/default/services', service('ExternalName', { externalName: 'localhost' }));
    await expect.poll(() => availability(NAME), POLL).toEqual(['True', 'Passed', 'all checks passed']);
    const jane = new Api({ url: server.url, ca: server.ca, token: 'jane' });
    const list = async () => (await jane.get(`${GROUP_VERSION}/namespaces/a/things?limit=5`)).status;
    await expect.poll(list, POLL).toBe(200);
    jane.close();
    const asked = seen.at(-1);
    expect(asked?.url).toBe(`${GROUP_VERSION}/namespaces/a/things?limit=5`);
    expect(asked?.headers).toMatchObject({ 'x-remote-user': 'jane', host: 'things.default.svc' });
    expect(asked?.headersDistinct['x-remote-group']).toContain('system:authenticated');
    expect(asked?.headers.authorization).toBeUndefined();
  });

  test('is watched through', async () => {
    const stream = await api.watch(`${GROUP_VERSION}/things?watch=1`);
    expect(await stream.next()).toMatchObject({ type: 'ADDED', object: { n: 1 } });
    stream.close();
  });

  test.each([
    ['SPDY/3.1', 'POST'],
    ['websocket', 'GET'],
  ])('goes on as %s', async (protocol, method) => {
    extension.upgrade = (req, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${req.headers.upgrade}\r\n\r\n`,
      );
      socket.write(`${req.method} ${req.headers['x-remote-user']} `);
      socket.pipe(socket);
    };
    const { port } = new URL(server.url);
    const headers = { authorization: `Bearer ${server.token}`, connection: 'Upgrade', upgrade: protocol };
    const asked = request({
      port,
      ca: server.ca,
      method,
      headers,
      path: `${GROUP_VERSION}/namespaces/a/things/x/exec`,
    });
    asked.end();
    const [answer, socket] = (await once(asked, 'upgrade')) as [IncomingMessage, Socket];
    expect(answer.headers.upgrade).toBe(protocol);
    socket.write('and back');
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    await expect.poll(() => text, POLL).toBe(`${method} tester and back`);
    socket.end();
    await once(socket, 'close');
  });

  test('is told of by discovery and OpenAPI, as its server tells', async () => {
    const things = async () => {
      const { items } = (await api.get('/apis', { accept: AGGREGATED })).json();
      const found = items.find(({ metadata }: ApiObject) => metadata.name === 'example.com');
      return found?.versions;
    };
    await expect.poll(things, POLL).toEqual([
      {
        version: 'v1',
        freshness: 'Current',
        resources: [
          {
            resource: 'things',
            responseKind: { group: 'example.com', version: 'v1', kind: 'Thing' },
            scope: 'Namespaced',
            singularResource: 'thing',
            verbs: ['get', 'list'],
          },
        ],
      },
    ]);
    const { groups } = (await api.get('/apis')).json();
    expect(groups.find(({ name }: { name: string }) => name === 'example.com')?.preferredVersion.version).toBe('v1');
    expect((await api.get('/apis/example.com')).json().versions).toEqual([
      { groupVersion: 'example.com/v1', version: 'v1' },
    ]);
    expect((await api.get(GROUP_VERSION)).json().resources).toHaveLength(1);
    expect((await api.get('/')).json().paths).toContain(GROUP_VERSION);
    const path = 'apis/example.com/v1';
    const url = async () => (await api.get('/openapi/v3')).json().paths[path]?.serverRelativeURL;
    await expect.poll(url, POLL).toBe(`/openapi/v3/${path}?hash=H`);
    expect((await api.get(`/openapi/v3/${path}?hash=H`)).json()).toEqual({ openapi: '3.0.0' });
    const whole = (await api.get('/openapi/v2')).json();
    expect(whole.paths[`/${path}/things`]).toEqual({ get: { responses: {} } });
    expect(whole.paths['/version']).not.toEqual('theirs');
    const protobuf = { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' };
    expect((await api.get('/openapi/v2', protobuf)).body.includes(`/${path}/things`)).toBe(true);
  });

  test('is not there and Stale when its server is gone, and nobody waits for it', async () => {
    await extension.stop();
    const before = performance.now();
    expect((await api.get(`${GROUP_VERSION}/things`)).status).toBe(503);
    expect(performance.now() - before).toBeLessThan(20_000);
    await api.patch(`${REGISTRATIONS}/${NAME}`, 'merge', { metadata: { annotations: { looked: 'at' } } });
    await expect
      .poll(async () => (await availability(NAME))?.[1], { timeout: 60_000, interval: 100 })
      .toBe('FailedDiscoveryCheck');
    const { items } = (await api.get('/apis', { accept: AGGREGATED })).json();
    const versions = items.find(({ metadata }: ApiObject) => metadata.name === 'example.com')?.versions;
    expect(versions).toMatchObject([{ version: 'v1', freshness: 'Stale' }]);
    const metrics = (await api.get('/metrics')).text;
    expect(metrics).toContain(`aggregator_unavailable_apiservice{name="${NAME}"} 1`);
    expect(metrics).toContain(
      `aggregator_unavailable_apiservice_total{name="${NAME}",reason="FailedDiscoveryCheck"} 1`,
    );
  });
});

describe('who answers for a group-version', () => {
  test('is told whom to believe', async () => {
    const config = async () =>
      (await api.get('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication')).json().data;
    await expect
      .poll(async () => Object.keys((await config()) ?? {}).sort(), POLL)
      .toEqual([
        'client-ca-file',
        'requestheader-allowed-names',
        'requestheader-client-ca-file',
        'requestheader-extra-headers-prefix',
        'requestheader-group-headers',
        'requestheader-username-headers',
      ]);
    // That of the server, and the one that signs certificate requests.
    const authorities = String((await config())?.['client-ca-file']);
    expect(authorities).toContain(server.ca.trim());
    expect(authorities.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  });
});
