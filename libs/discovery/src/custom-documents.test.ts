import { VERSION } from '@orch/apiserver';
import { type Endpoint, fullyDescribed } from '@orch/resources';
import { HealthRegistry, Metrics, silentLogger } from '@orch/runtime';
import { DEFAULT_FEATURES } from '@orch/schema';
import {
  type Asker,
  askOf,
  definitionOf,
  openServer,
  serveCustom,
  type TestApi,
  type TestServer,
  testApi,
  version,
} from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiscoveryRoutes } from './discovery-routes.js';
import { createFallbackApp } from './fallback-app.js';

const SCHEMA = { type: 'object', properties: { spec: { type: 'object', description: 'What is wanted.' } } };
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

let api: TestApi;
let server: TestServer;
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  const { names, scheme } = api.deps;
  const reported = { scheme, names, features: DEFAULT_FEATURES, release: VERSION.gitVersion };
  const app = createFallbackApp({
    health: new HealthRegistry({ logger: silentLogger }),
    metrics: new Metrics(),
    version: VERSION,
    discovery: createDiscoveryRoutes(api.served, reported),
  });
  server = await openServer(app);
  const old = { storage: false, subresources: { status: {} } };
  await serveCustom(api, definitionOf([version('v1beta1', SCHEMA, old), version('v1', SCHEMA)]));
});
afterEach(async () => {
  await server.close();
  api.close();
});

const ask: Asker = (...asked) => askOf(server)(...asked);

describe('the documents of what is served', () => {
  it('tell of custom kinds, the best version first', async () => {
    const { body: group } = await ask('GET', '/apis/example.test');
    expect(group.versions.map(({ version: name }: { version: string }) => name)).toEqual(['v1', 'v1beta1']);
    const { body: list } = await ask('GET', '/apis/example.test/v1beta1');
    expect(list.resources).toMatchObject([
      {
        name: 'widgets',
        singularName: 'widget',
        namespaced: true,
        kind: 'Widget',
        shortNames: ['wd'],
        verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        storageVersionHash: expect.any(String),
      },
      { name: 'widgets/status', kind: 'Widget', verbs: ['get', 'patch', 'update'] },
    ]);
    const { body: all } = await ask('GET', '/apis', undefined, '', AGGREGATED);
    const item = all.items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === 'example.test');
    expect(item.versions[0].resources[0]).toMatchObject({ resource: 'widgets', scope: 'Namespaced' });
  });

  it('have their models', async () => {
    const { body: index } = await ask('GET', '/openapi/v3');
    const found = index.paths['apis/example.test/v1'].serverRelativeURL;
    const { body: young } = await ask('GET', found);
    expect(young.components.schemas['test.example.v1.Widget'].properties.spec.description).toBe('What is wanted.');
    const { body: old } = await ask('GET', '/openapi/v2');
    expect(old.definitions).toHaveProperty(['test.example.v1.WidgetList']);
    const binary = await server.ask('/openapi/v2', {
      headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
    });
    expect([binary.status, binary.body.includes('test.example.v1beta1.Widget')]).toEqual([200, true]);
  });

  it('stay the same for kinds that stay, whatever comes and goes beside them', async () => {
    const urls = async (): Promise<Record<string, { serverRelativeURL: string }>> =>
      (await ask('GET', '/openapi/v3')).body.paths;
    const before = await urls();
    const endpoints = api.served.current.endpoints.filter(({ definition }) => definition.version !== 'v1beta1');
    api.served.replace(endpoints);
    const after = await urls();
    expect(Object.keys(before).filter((path) => !(path in after))).toEqual(['apis/example.test/v1beta1']);
    for (const path of Object.keys(after)) expect(after[path]).toEqual(before[path]);
    await serveCustom(api, definitionOf([version('v1', { type: 'object' })]));
    expect((await urls())['apis/example.test/v1']).not.toEqual(before['apis/example.test/v1']);
  });

  it('are not made anew of groups that stay', async () => {
    const other = definitionOf([version('v1', SCHEMA)], { group: 'other.test' });
    const made = await serveCustom(api, definitionOf([version('v1', SCHEMA)]), other);
    const [mine, theirs] = made as [Endpoint, Endpoint];
    let looked = 0;
    const counted = { ...mine.definition };
    Object.defineProperty(counted, 'verbs', { enumerable: true, get: () => [`verb${++looked}`] });
    api.served.replace(api.endpoints);
    api.served.change([], [{ endpoint: mine, description: counted }]);
    const reported = async () => {
      const { body: all } = await ask('GET', '/apis', undefined, '', AGGREGATED);
      await ask('GET', '/openapi/v3/apis/example.test/v1');
      return all.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    };
    expect(await reported()).not.toContain('other.test');
    const before = looked;
    expect(before).toBeGreaterThan(0);
    api.served.change([], [fullyDescribed(theirs)]);
    expect(await reported()).toEqual(expect.arrayContaining(['example.test', 'other.test']));
    expect(looked).toBe(before);
  });

  it('tell no more of those that are gone', async () => {
    expect((await ask('GET', '/apis/example.test/v1')).status).toBe(200);
    await serveCustom(api);
    expect((await ask('GET', '/apis/example.test/v1')).status).toBe(404);
    expect((await ask('GET', '/openapi/v3')).body.paths).not.toHaveProperty(['apis/example.test/v1']);
  });
});
