import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orch/storage/embedded';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { expectRefusal, expectStatus } from './conformance.js';

const PATH = '/api/v1/namespaces/default/services';
const CLAIMS_CHECKED = ['--request-timeout=1s', '--unused-claim-age=1s'];

// The database outlives the servers that are started on it with different ranges.
const dir = mkdtempSync(join(tmpdir(), 'orch-ranges-'));
let postgres: EmbeddedPostgres;
beforeAll(async () => {
  postgres = await startEmbeddedPostgres({ dataDir: dir });
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function withServer(
  args: readonly string[],
  work: (api: Api, server: Standalone) => Promise<void>,
): Promise<void> {
  const server = await startStandalone({ args: [`--postgres-url=${postgres.url}`, ...args] });
  const api = new Api({ url: server.url, ca: server.ca, token: server.token });
  try {
    await work(api, server);
  } finally {
    api.close();
    await server.stop();
  }
}

const service = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { type: 'NodePort', selector: { app: 'a' }, ports: [{ port: 80 }], ...spec },
});
const made = async (api: Api, name: string, spec?: object, metadata?: object) =>
  expectStatus(await api.post(PATH, service(name, spec, metadata)), 201).json<ApiObject>().spec;
const causesOf = (answer: Awaited<ReturnType<Api['post']>>) =>
  expectRefusal(answer, 422, 'Invalid').details?.causes?.map(({ field, message }) => `${field}: ${message}`);

test('types change and take and give back what they call for', async () => {
  await withServer([], async (api) => {
    const change = async (spec: object) =>
      expectStatus(await api.patch(`${PATH}/web`, 'merge', { spec }), 200).json<ApiObject>().spec;
    const first = await made(api, 'web', { ports: [{ port: 80, nodePort: 30080 }] });
    const inner = await change({ type: 'ClusterIP' });
    expect([inner.clusterIP, inner.ports[0].nodePort]).toEqual([first.clusterIP, undefined]);
    expect((await made(api, 'next', { ports: [{ port: 80, nodePort: 30080 }] })).ports[0].nodePort).toBe(30080);
    expect(
      causesOf(
        await api.patch(`${PATH}/web`, 'merge', { spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] } }),
      ),
    ).toEqual(['spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated']);
    const named = await change({
      type: 'ExternalName',
      externalName: 'example.com',
      clusterIP: null,
      clusterIPs: null,
    });
    expect(named).not.toHaveProperty('clusterIP');
    await made(api, 'takes', { clusterIP: first.clusterIP });
    const balanced = await change({ type: 'LoadBalancer', externalName: null, externalTrafficPolicy: 'Local' });
    expect(balanced.clusterIP).not.toBe(first.clusterIP);
    const health = balanced.healthCheckNodePort;
    expect(causesOf(await api.post(PATH, service('late', { ports: [{ port: 1, nodePort: health }] })))).toHaveLength(1);
    expect(await change({ externalTrafficPolicy: 'Cluster' })).not.toHaveProperty('healthCheckNodePort');
    await made(api, 'late', { ports: [{ port: 1, nodePort: health }] });
    for (const name of ['web', 'next', 'takes', 'late']) expectStatus(await api.delete(`${PATH}/${name}`), 200);
  });
});

test('a Service that waits for a finalizer keeps its address until the last one goes', async () => {
  await withServer([], async (api) => {
    const finalizers = [`test.example.com/${randomBytes(2).toString('hex')}`];
    const { clusterIP } = await made(api, 'waits', {}, { finalizers });
    expectStatus(await api.delete(`${PATH}/waits`), 200);
    expect(causesOf(await api.post(PATH, service('wants', { clusterIP })))).toEqual([
      `spec.clusterIPs: Invalid value: []string{"${clusterIP}"}: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
    ]);
    expectStatus(await api.patch(`${PATH}/waits/status`, 'merge', { metadata: { finalizers: null } }), 200);
    await made(api, 'wants', { clusterIP });
    expectStatus(await api.delete(`${PATH}/wants`), 200);
  });
});

test('Services keep what they have when the ranges change, and are told', async () => {
  let old: ApiObject['spec'];
  await withServer([], async (api) => {
    old = await made(api, 'old', { clusterIP: '10.96.0.200', ports: [{ port: 80, nodePort: 30090 }] });
  });
  const ranges = ['--service-cluster-ip-range=10.97.0.0/24', '--service-node-port-range=31000-31001'];
  await withServer([...ranges, ...CLAIMS_CHECKED], async (api) => {
    const touched = await api.patch(`${PATH}/old`, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(expectStatus(touched, 200).json().spec).toEqual(old);
    const given = (
      await made(api, 'new', {
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      })
    ).ports;
    expect(given.map(({ nodePort }: { nodePort: number }) => nodePort).sort()).toEqual([31000, 31001]);
    expect(expectRefusal(await api.post(PATH, service('full')), 500, 'InternalError').message).toBe(
      'Internal error occurred: failed to allocate a nodePort: range is full',
    );
    expect(causesOf(await api.post(PATH, service('out', { ports: [{ port: 80, nodePort: 30090 }] })))).toEqual([
      'spec.ports[0].nodePort: Invalid value: 30090: provided port is not in the valid range. The range of valid ports is 31000-31001',
    ]);
    const reasons = async () => {
      const { items } = (await api.get('/api/v1/namespaces/default/events')).json<{ items: ApiObject[] }>();
      return items
        .filter(({ involvedObject }) => involvedObject.name === 'old')
        .map(({ reason }) => reason)
        .sort();
    };
    await expect.poll(reasons, { timeout: 20_000, interval: 200 }).toEqual(['ClusterIPOutOfRange', 'PortOutOfRange']);
  });
});
