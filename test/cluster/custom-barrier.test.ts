import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../tools/up/index.js';
import { Api, type ApiObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

const POLL = { timeout: 60_000, interval: 20 };
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const KINDS = 12;
/** Milliseconds after its last word at which a server counts as gone. */
const PRESENCE_MS = 10_000;

const groups = Array.from({ length: KINDS }, (_, at) => `g${at}.example.com`);
const definitionOf = (group: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});
const path = (group: string) => `${DEFINITIONS}/widgets.${group}`;
const widgets = (group: string) => `/apis/${group}/v1/namespaces/default/widgets`;

let dir: string;
let cluster: Cluster;
/** Clients, one for each api-server and gateway. */
let servers: Api[];
beforeAll(async () => {
  dir = makeServerFolder('orch-barrier-');
  cluster = await startCluster({ dir });
  const urls = [...cluster.apiServerUrls, ...cluster.gatewayUrls];
  servers = urls.map((url) => new Api({ url, ca: cluster.ca, token: cluster.token }));
});
afterAll(async () => {
  for (const server of servers ?? []) server.close();
  await cluster?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const at = (index: number): Api => servers[index % servers.length] as Api;

async function isEstablished(api: Api, group: string): Promise<boolean> {
  const { status } = (await api.get(path(group))).json<ApiObject>();
  return (status?.conditions ?? []).some((one: ApiObject) => one.type === 'Established' && one.status === 'True');
}

/** Returns what a server serves of a kind at this moment: its objects, and discovery of its group. */
async function served(api: Api, group: string): Promise<unknown> {
  const [objects, discovery] = [await api.get(widgets(group)), await api.get(`/apis/${group}/v1`)];
  const names = discovery.status === 200 ? discovery.json().resources.map((one: ApiObject) => one.name) : [];
  return [objects.status, names];
}

describe('two api-servers and two gateways', () => {
  test('serve what is established, every one of them and at once', async () => {
    const checks = groups.map(async (group, index) => {
      expect((await at(index).post(DEFINITIONS, definitionOf(group))).status).toBe(201);
      await expect.poll(() => isEstablished(at(index + 1), group), POLL).toBe(true);
      // Objects may be made anywhere by now.
      const made = servers.map(async (server, of) => {
        const object = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: `w${of}` } };
        return (await server.post(widgets(group), object)).status;
      });
      expect(await Promise.all(made)).toEqual(servers.map(() => 201));
    });
    await Promise.all(checks);
    for (const group of groups)
      for (const server of servers) await expect.poll(() => served(server, group), POLL).toEqual([200, ['widgets']]);
  });

  test('leave no object behind of what is deleted beside those who make objects of it', async () => {
    const [group = ''] = groups;
    let [ended, made] = [false, 0];
    const writers = servers.map(async (server, of) => {
      const codes = new Set<number>();
      for (let count = 0; !ended; count++) {
        const object = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: `x${of}-${count}` } };
        const { status } = await server.post(widgets(group), object);
        codes.add(status);
        if (status === 201) made++;
      }
      return [...codes];
    });
    await expect.poll(() => made, POLL).toBeGreaterThan(40);
    expect((await at(1).delete(path(group))).status).toBe(200);
    await expect.poll(async () => (await at(2).get(path(group))).status, POLL).toBe(404);
    await expect
      .poll(async () => Promise.all(servers.map((server) => served(server, group))), POLL)
      .toEqual(servers.map(() => [404, []]));
    ended = true;
    const codes = new Set((await Promise.all(writers)).flat());
    expect([...codes].filter((code) => ![201, 404, 405].includes(code))).toEqual([]);
    expect((await at(0).post(DEFINITIONS, definitionOf(group))).status).toBe(201);
    await expect.poll(() => isEstablished(at(3), group), POLL).toBe(true);
    expect((await at(2).get(widgets(group))).json<ApiObject>().items).toEqual([]);
  });

  test('do not wait for one of them for longer than it takes to know that it is gone', async () => {
    const [, gateway] = cluster.gateways;
    await gateway?.kill('SIGSTOP');
    const began = performance.now();
    expect((await at(0).post(DEFINITIONS, definitionOf('late.example.com'))).status).toBe(201);
    await expect.poll(() => isEstablished(at(0), 'late.example.com'), POLL).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(PRESENCE_MS / 2);
    await gateway?.kill('SIGCONT');
    await expect.poll(() => served(at(3), 'late.example.com'), POLL).toEqual([200, ['widgets']]);
  });

  test('go on deciding when the one that does is killed', async () => {
    for (const api of [1, 0]) {
      await cluster.apiServers[api]?.kill('SIGKILL');
      const [other] = [at(1 - api)];
      const group = `killed${api}.example.com`;
      expect((await other.post(DEFINITIONS, definitionOf(group))).status).toBe(201);
      await expect.poll(() => isEstablished(other, group), POLL).toBe(true);
      await cluster.apiServers[api]?.start();
      await expect.poll(() => served(at(api), group), POLL).toEqual([200, ['widgets']]);
    }
  }); // twice until a lease and the presence of a server have run out
});
