import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type PostgresStore } from '@orch/storage';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orch/storage/embedded';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

// Services lie in a database of their own, for the test to reach behind the server.
const dir = mkdtempSync(join(tmpdir(), 'orch-services-'));
let second: EmbeddedPostgres;
let store: PostgresStore;
let server: Standalone;
let api: Api;
beforeAll(async () => {
  second = await startEmbeddedPostgres({ dataDir: dir });
  server = await startStandalone({
    args: [`--storage-override=services=${second.url}`, '--request-timeout=1s', '--unused-claim-age=1s'],
  });
  api = new Api({ url: server.url, ca: server.ca, token: server.token });
  store = await openStore({ url: second.url, naming: server.naming });
});
afterAll(async () => {
  api?.close();
  await server?.stop();
  await store?.close();
  await second?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const services = '/api/v1/namespaces/default/services';
const spec = { type: 'NodePort', clusterIP: '10.96.0.99', ports: [{ port: 80, nodePort: 30123 }] };

it('an address and a node port are free again when their Service went without giving them back', async () => {
  expect((await api.post(services, { metadata: { name: 'lost' }, spec })).status).toBe(201);
  const [type = 0] = await store.registerTypes([{ group: '', resource: 'services' }]);
  const key = { namespace: 'default', name: 'lost' };
  const row = await store.get(type, key);
  if (!row) throw new Error('no Service');
  const { version, body } = row;
  expect(await store.write({ op: 'delete', type, ...key, version, body })).toMatchObject({ outcome: 'committed' });
  const next = () => api.post(services, { metadata: { name: 'next' }, spec });
  expect((await next()).status).toBe(422);
  await expect.poll(async () => (await next()).status, { timeout: 20_000, interval: 200 }).toBe(201);
  // Those of Services that are there stay theirs.
  expect((await api.post(services, { metadata: { name: 'third' }, spec })).status).toBe(422);
});
