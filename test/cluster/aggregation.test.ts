import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { type ExtensionServer, startExtensionServer } from '../support/extension-server.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const POLL = { timeout: 30_000, interval: 20 };
const REGISTRATIONS = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAME = 'v1.example.com';
const GROUP_VERSION = '/apis/example.com/v1';
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

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
    await expect.poll(() => availability('v1.'), POLL).toEqual([
      'True',
      'Local',
      'Local APIServices are always available',
    ]);
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
    const label = async () =>
      (await api.get(`${REGISTRATIONS}/v2.defined.com`)).json().metadata?.labels?.[AUTOMANAGED];
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
      seen.push(req);
      res.writeHead(200, { 'content-type': 'application/json' });
      if (req.url?.includes('watch=1')) res.write('{"type":"ADDED","object":{"n":1}}\n');
      else res.end(JSON.stringify({ kind: 'APIResourceList', groupVersion: 'example.com/v1', resources: [] }));
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
    const registration = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: NAME }, spec };
    expect((await api.post(REGISTRATIONS, registration)).status).toBe(201);
    await expect.poll(() => availability(NAME), POLL).toEqual([
      'False',
      'ServiceNotFound',
      'service/things in "default" is not present',
    ]);
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

  test('is watched through, and the stream ends in order when the server does not go on', async () => {
    const stream = await api.watch(`${GROUP_VERSION}/things?watch=1`);
    expect(await stream.next()).toMatchObject({ type: 'ADDED', object: { n: 1 } });
    stream.close();
  });
});
