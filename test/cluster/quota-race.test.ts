import { rmSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../tools/up/index.js';
import { Random } from '../faults/random.js';
import { Api, type ApiObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { RESOURCES, raceForQuota } from '../support/quota-race.js';
import { makeServerFolder } from '../support/run-folder.js';

const POLL = { timeout: 60_000, interval: 50 };
const LIMIT = 30;
const REQUESTERS = 8;

let dir: string;
let cluster: Cluster;
let servers: Api[];
let database: pg.Client;
beforeAll(async () => {
  dir = makeServerFolder('orch-quota-');
  cluster = await startCluster({ dir, gateways: 0 });
  servers = cluster.apiServerUrls.map((url) => new Api({ url, ca: cluster.ca, token: cluster.token }));
  database = new pg.Client(cluster.postgresUrl);
  await database.connect();
}, 300_000);
afterAll(async () => {
  for (const server of servers ?? []) server.close();
  await database?.end();
  await cluster?.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('a quota, beside servers that are killed', () => {
  test.each([1])(
    'is used up to its last object, and true at every version (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const victim = cluster.apiServers[seed % cluster.apiServers.length];
      const result = await raceForQuota({
        ...{ servers, database, namespace: `race-${seed}`, limit: LIMIT, requesters: REQUESTERS },
        random: () => random.next(),
        async disturb() {
          await new Promise((resolve) => setTimeout(resolve, random.between(20, 300)));
          await victim?.kill('SIGKILL');
          await victim?.start();
        },
      });
      expect(result.objects).toEqual({ configmaps: LIMIT, secrets: LIMIT });
      expect(result.versions.filter(({ used, there }) => used !== there)).toEqual([]);
      expect(result.versions.slice(-RESOURCES.length).map(({ used }) => used)).toEqual([LIMIT, LIMIT]);
      expect(Math.max(...result.versions.map(({ used }) => used))).toBe(LIMIT);
    },
    180_000,
  );
});

test('quotas are counted again where servers of the release before have written beside them', async () => {
  const path = '/api/v1/namespaces/upgraded';
  const [api] = servers as [Api];
  expect((await api.post('/api/v1/namespaces', { metadata: { name: 'upgraded' } })).status).toBe(201);
  const quota = { metadata: { name: 'q' }, spec: { hard: { configmaps: '2' } } };
  expect((await api.post(`${path}/resourcequotas`, quota)).status).toBe(201);
  const used = async () => (await api.get(`${path}/resourcequotas/q`)).json<ApiObject>().status?.used?.configmaps;
  await expect.poll(used, POLL).toBe('0');
  expect((await api.post(`${path}/configmaps`, { metadata: { name: 'one' } })).status).toBe(201);
  // As after a write of the quota by such a server, and one beside it that was not charged.
  await database.query(`DELETE FROM cluster.tally WHERE namespace = 'upgraded'`);
  expect((await api.post(`${path}/configmaps`, { metadata: { name: 'two' } })).status).toBe(201);
  expect(await used()).toBe('1');
  await database.query(`INSERT INTO cluster.uncharged (namespace) VALUES ('upgraded')`);
  await expect.poll(used, POLL).toBe('2');
  const left = async () => (await database.query('SELECT count(*)::int AS left FROM cluster.uncharged')).rows[0].left;
  await expect.poll(left, POLL).toBe(0);
  expect((await api.post(`${path}/configmaps`, { metadata: { name: 'three' } })).status).toBe(403);
  expect((await api.delete(`${path}/configmaps/one`)).status).toBe(200);
  expect(await used()).toBe('1');
});
