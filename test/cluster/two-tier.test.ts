import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, LOAD_BALANCERS, waitUntil } from '../../tools/up/index.js';
import { Api, type ApiObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const MAX_WAIT_MS = 10_000;
const configMap = (name: string, data = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

describe.each(LOAD_BALANCERS)('two api-servers and two gateways behind %s', (loadBalancer) => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;

  beforeAll(async () => {
    dir = makeServerFolder('orch-two-tier-');
    cluster = await startCluster({ dir, loadBalancer });
    api = new Api(cluster);
  });

  afterAll(async () => {
    api?.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Watches of configmaps that the servers at these addresses hold open. */
  async function openWatches(urls: readonly string[]): Promise<number> {
    let open = 0;
    for (const url of urls) {
      const server = new Api({ url, ca: cluster.ca, token: cluster.token });
      const metrics = (await server.get('/metrics')).text;
      server.close();
      for (const [, watchers] of metrics.matchAll(/^orch_watch_cache_watchers\{[^}]*\} (\d+)/gm))
        open += Number(watchers);
    }
    return open;
  }

  test.each([
    ...['watch=1', 'watch=true', 'watch=TRUE', 'limit=5&watch=1', 'watch'].map((query) => `${PATH}?${query}`),
    '/api/v1/watch/namespaces/default/configmaps',
    '/api/v1/watch/configmaps?watch=0',
    '/apis/apps/v1/watch/deployments',
  ])('GET %s is served by a gateway', async (path) => {
    const before = await openWatches(cluster.gatewayUrls);
    const stream = await api.watch(path);
    expect(await openWatches(cluster.gatewayUrls)).toBe(before + 1);
    expect(await openWatches(cluster.apiServerUrls)).toBe(0);
    stream.close();
    const closed = async () => (await openWatches(cluster.gatewayUrls)) === before;
    await waitUntil('the gateway notices that the client is gone', MAX_WAIT_MS, closed);
  });

  test('an old path of watches that comes to an api-server is handed to a gateway', async () => {
    const [url = ''] = cluster.apiServerUrls;
    const direct = new Api({ url, ca: cluster.ca, token: cluster.token });
    const stream = await direct.watch('/api/v1/watch/namespaces/default/configmaps/old-path');
    expect(stream.status).toBe(200);
    expect(await openWatches(cluster.gatewayUrls)).toBe(1);
    stream.close();
    direct.close();
  });

  test.each(['watch=0', 'watch=false', ''])('GET with %j is a list', async (query) => {
    expect((await api.get(`${PATH}?${query}`)).json().kind).toBe('ConfigMapList');
  });

  test('a watch that comes to an api-server is handed to a gateway', async () => {
    const [url = ''] = cluster.apiServerUrls;
    const direct = new Api({ url, ca: cluster.ca, token: cluster.token });
    const stream = await direct.watch(`${PATH}?watch=1`);
    expect(stream.status).toBe(200);
    expect(await openWatches(cluster.gatewayUrls)).toBe(1);
    expect((await direct.post(PATH, configMap('handed'))).status).toBe(201);
    const events = await stream.until(({ object }) => object.metadata.name === 'handed');
    expect(events.at(-1)?.type).toBe('ADDED');
    stream.close();
    direct.close();
  });

  test('what one api-server wrote the other reads at once', async () => {
    const [first, second] = cluster.apiServerUrls.map((url) => new Api({ url, ca: cluster.ca, token: cluster.token }));
    for (let round = 0; round < 50; round++) {
      const written = await first?.post(PATH, configMap(`round-${round}`));
      expect(written?.status).toBe(201);
      const read = await second?.get(`${PATH}/round-${round}`);
      expect(read?.json().metadata.resourceVersion).toBe(written?.json().metadata.resourceVersion);
    }
    first?.close();
    second?.close();
  });

  test('a custom kind is served by every server once its definition is established, and gone from all after it', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const name = 'widgets.example.com';
    const schema = { openAPIV3Schema: { type: 'object', properties: { any: { type: 'integer' } } } };
    const selectableFields = [{ jsonPath: '.any' }];
    const spec = {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema, selectableFields }],
    };
    const kind = 'CustomResourceDefinition';
    const definition = { apiVersion: definitions.split('/').slice(2, 4).join('/'), kind, metadata: { name }, spec };
    const urls = [...cluster.apiServerUrls, ...cluster.gatewayUrls];
    const servers = urls.map((url) => new Api({ url, ca: cluster.ca, token: cluster.token }));
    const [first, second] = servers as [Api, Api];
    expect((await first.post(definitions, definition)).status).toBe(201);
    const established = async () => (await first.get(`${definitions}/${name}`)).text.includes('InitialNamesAccepted');
    await waitUntil('the definition is established', MAX_WAIT_MS, established);
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    for (const server of servers) expect((await server.get(widgets)).status).toBe(200);
    const streams = await Promise.all(servers.map((server) => server.watch(`${widgets}?watch=1&fieldSelector=any=1`)));
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, any: 1 };
    const other = { ...widget, metadata: { name: 'v' }, any: 2 };
    for (const object of [other, widget]) expect((await second.post(widgets, object)).status).toBe(201);
    for (const stream of streams) expect((await stream.next())?.object.metadata.name).toBe('w');
    expect((await second.delete(`${definitions}/${name}`)).status).toBe(200);
    for (const stream of streams) expect((await stream.rest()).map(({ type }) => type)).toEqual(['DELETED']);
    for (const server of servers) {
      const gone = async () => (await server.get(widgets)).status === 404;
      await waitUntil('the kind is gone', MAX_WAIT_MS, gone);
      server.close();
    }
  });

  test('with one api-server killed reads go on without an error', async () => {
    const [victim] = cluster.apiServers;
    await victim?.kill('SIGKILL');
    for (let round = 0; round < 20; round++) expect((await api.get(`${PATH}?limit=1`)).status).toBe(200);
    await victim?.start();
  });

  test('with NATS killed a watch goes on from the database, and is fast again afterwards', async () => {
    const stream = await api.watch(`${PATH}?watch=1&fieldSelector=metadata.name=slow`);
    await cluster.nats.kill('SIGKILL');
    expect((await api.post(PATH, configMap('slow'))).status).toBe(201);
    expect((await stream.next())?.type).toBe('ADDED');
    await cluster.nats.start();
    expect((await api.put(`${PATH}/slow`, configMap('slow', { a: '1' }))).status).toBe(200);
    expect((await stream.next())?.object.data).toEqual({ a: '1' });
    stream.close();
  });

  test('with PostgreSQL killed writes are refused with 503 or 504 until it is back, and nothing acknowledged is lost', async () => {
    const before = (await api.post(PATH, configMap('before'))).json<ApiObject>();
    const stream = await api.watch(`${PATH}?watch=1&resourceVersion=${before.metadata.resourceVersion}`);
    await cluster.postgres.kill('SIGKILL');
    const refused = await api.post(PATH, configMap('during'));
    expect([503, 504]).toContain(refused.status);
    expect(refused.json()).toMatchObject({ kind: 'Status', status: 'Failure' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await cluster.postgres.start();
    await waitUntil('writes go on', MAX_WAIT_MS, async () => (await api.post(PATH, configMap('after'))).status === 201);
    const events = await stream.until(({ object }) => object.metadata.name === 'after');
    expect(events.map(({ type }) => type)).not.toContain('ERROR');
    // A health check that began before PostgreSQL was back may fail now, and take a server from the balancer once more.
    const read = { status: 503, uid: '' };
    await waitUntil('reads go on', MAX_WAIT_MS, async () => {
      const answer = await api.get(`${PATH}/before`);
      Object.assign(read, { status: answer.status, uid: answer.json<ApiObject>().metadata.uid });
      return read.status !== 503;
    });
    expect(read).toEqual({ status: 200, uid: before.metadata.uid });
    stream.close();
  });
});
