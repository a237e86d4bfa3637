import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConversionServer, convertedReview, say } from '@orch/webhooks/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import { Api, type ApiObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { sizedWidgets } from '../support/sized-widgets.js';

const MAX_WAIT_MS = 60_000;
const apiVersion = 'apiextensions.k8s.io/v1';
const DEFINITIONS = `/apis/${apiVersion}/customresourcedefinitions`;
const at = (version: string, name = '') =>
  `/apis/example.com/${version}/namespaces/default/widgets${name && `/${name}`}`;
const widget = (name: string, size: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { size },
});

let dir: string;
let cluster: Cluster;
let webhook: ConversionServer;
/** Client that connects through the load balancer. */
let api: Api;
/** Clients, one for each api-server and gateway. */
let servers: Api[];
beforeAll(async () => {
  dir = makeServerFolder('orch-conversion-');
  webhook = await ConversionServer.start();
  const proxy = join(dir, 'pki', 'front-proxy');
  const serverArgs = [`--proxy-client-cert-file=${proxy}.crt`, `--proxy-client-key-file=${proxy}.key`];
  cluster = await startCluster({ dir, serverArgs });
  api = new Api(cluster);
  const urls = [...cluster.apiServerUrls, ...cluster.gatewayUrls];
  servers = urls.map((url) => new Api({ url, ca: cluster.ca, token: cluster.token }));
  const definition = sizedWidgets({ group: 'example.com', apiVersion }, webhook.conversion());
  expect((await api.post(DEFINITIONS, definition)).status).toBe(201);
  const established = async () => {
    const { status } = (await api.get(`${DEFINITIONS}/widgets.example.com`)).json<ApiObject>();
    return (status?.conditions ?? []).some((one: ApiObject) => one.type === 'Established' && one.status === 'True');
  };
  await waitUntil('the definition is established', MAX_WAIT_MS, established);
});
afterAll(async () => {
  for (const server of [api, ...(servers ?? [])]) server?.close();
  await cluster?.stop();
  await webhook?.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('two api-servers and two gateways with a kind that a webhook converts', () => {
  test('answer in each version, every one of them', async () => {
    expect((await api.post(at('v1'), widget('a', 1))).status).toBe(201);
    for (const server of servers) {
      const { status, text } = await server.get(at('v2'));
      expect([status, JSON.parse(text).items?.[0]?.spec]).toEqual([200, { dimension: { size: 1 } }]);
    }
    expect([...webhook.shown]).toEqual(['front-proxy-client']);
  });

  test('hold watches back while the webhook is down, wherever they are, and lose nothing', async () => {
    const watches = await Promise.all([api, ...servers].map((server) => server.watch(`${at('v2')}?watch=true`)));
    for (const watch of watches) expect((await watch.take(1)).map(({ type }) => type)).toEqual(['ADDED']);
    webhook.fail();
    const sizes = Array.from({ length: 20 }, (_, i) => i + 2);
    for (const size of sizes) {
      expect((await api.patch(at('v1', 'a'), 'merge', { spec: { size } })).status).toBe(200);
      expect((await api.post(at('v1'), widget(`n${size}`, size))).status).toBe(201);
    }
    for (const server of servers) expect((await server.get(at('v2', 'a'))).status).toBe(500);
    webhook.recover();
    const wanted = sizes.flatMap((size) => [`MODIFIED a ${size}`, `ADDED n${size} ${size}`]);
    for (const watch of watches) {
      const seen = await watch.take(wanted.length);
      expect(
        seen.map(({ type, object: { metadata, spec } }) => `${type} ${metadata.name} ${spec?.dimension?.size}`),
      ).toEqual(wanted);
      watch.close();
    }
  });

  test('end the watches that would see an object which the webhook refuses, wherever they are, and no others', async () => {
    const elsewhere = (version: string, name = '') => at(version, name).replace('/default/', '/elsewhere/');
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } };
    expect((await api.post('/api/v1/namespaces', namespace)).status).toBe(201);
    const { metadata } = (await api.get(at('v1'))).json<ApiObject>();
    const after = `watch=true&resourceVersion=${metadata.resourceVersion}`;
    const [here, there] = await Promise.all(
      [at, elsewhere].map((path) => Promise.all(servers.map((server) => server.watch(`${path('v2')}?${after}`)))),
    );
    webhook.answer = (review, response) => {
      const answer = convertedReview(review);
      const refuses = review.request.objects.some(({ metadata: { name } }) => name === 'bad');
      if (refuses) answer.response.result = { status: 'Failure', message: 'not this one' };
      say(response, answer);
    };
    for (const name of ['good', 'bad']) expect((await api.post(at('v1'), widget(name, 1))).status).toBe(201);
    expect((await api.post(elsewhere('v1'), widget('other', 2))).status).toBe(201);
    for (const watch of here ?? []) {
      const [added, error] = await watch.take(2);
      expect([added?.type, added?.object.metadata.name]).toEqual(['ADDED', 'good']);
      expect(error).toMatchObject({
        type: 'ERROR',
        object: { code: 500, message: expect.stringMatching(/: not this one$/) },
      });
      watch.close();
    }
    for (const watch of there ?? []) {
      const [added] = await watch.take(1);
      expect([added?.type, added?.object.metadata.name]).toEqual(['ADDED', 'other']);
    }
    for (const server of servers) {
      expect((await server.get(at('v2'))).status).toBe(500);
      expect((await server.get(elsewhere('v2'))).json<ApiObject>().items).toHaveLength(1);
    }
    webhook.recover();
    for (const server of servers) {
      await expect.poll(async () => (await server.get(at('v2'))).status, { timeout: MAX_WAIT_MS }).toBe(200);
      const healed = async () => {
        const watch = await server.watch(`${at('v2')}?${after}`);
        const events = await watch.take(2);
        watch.close();
        return events.map(({ type, object }) => `${type} ${object.metadata?.name}`);
      };
      await expect.poll(healed, { timeout: MAX_WAIT_MS }).toEqual(['ADDED good', 'ADDED bad']);
    }
    expect((await api.post(elsewhere('v1'), widget('more', 3))).status).toBe(201);
    for (const watch of there ?? []) {
      expect((await watch.take(1)).map(({ object }) => object.metadata.name)).toEqual(['more']);
      watch.close();
    }
  }, 120_000);
});
