import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orch/storage/embedded';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Api, type ApiList } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const dir = mkdtempSync(join(tmpdir(), 'orch-second-'));
let second: EmbeddedPostgres;
let server: Standalone;
let api: Api;
beforeAll(async () => {
  second = await startEmbeddedPostgres({ dataDir: dir });
  server = await startStandalone({ args: [`--storage-override=events=${second.url},apps/deployments#${second.url}`] });
  api = new Api({ url: server.url, ca: server.ca, token: server.token });
});
afterAll(async () => {
  api?.close();
  await server?.stop();
  await second?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const events = '/api/v1/namespaces/default/events';
const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
});

it('types in a second database are served, watched and paged as all others', async () => {
  const watch = await api.watch(`${events}?watch=1`);
  for (const name of ['a', 'b', 'c']) expect((await api.post(events, event(name))).status).toBe(201);
  const seen = await watch.take(3);
  watch.close();
  expect(seen.map(({ type, object }) => [type, object.metadata.name])).toEqual([
    ['ADDED', 'a'],
    ['ADDED', 'b'],
    ['ADDED', 'c'],
  ]);
  const page = (await api.get(`${events}?limit=2`)).json<ApiList>();
  expect((await api.delete(`${events}/c`)).status).toBe(200);
  const rest = (await api.get(`${events}?limit=2&continue=${page.metadata.continue}`)).json<ApiList>();
  expect([...page.items, ...rest.items].map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
});

it('a namespace goes with what it has in either database, and takes nothing in after it', async () => {
  expect((await api.post('/api/v1/namespaces', { metadata: { name: 'shop' } })).status).toBe(201);
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const deployments = '/apis/apps/v1/namespaces/shop/deployments';
  expect((await api.post(deployments, { metadata: { name: 'web' }, spec })).status).toBe(201);
  expect((await api.post('/api/v1/namespaces/nowhere/events', { ...event('x') })).status).not.toBe(201);
  expect((await api.delete('/api/v1/namespaces/shop')).status).toBe(200);
  await expect.poll(async () => (await api.get('/api/v1/namespaces/shop')).status, { timeout: 15_000 }).toBe(404);
  expect((await api.get('/apis/apps/v1/deployments')).json<ApiList>().items).toEqual([]);
  expect((await api.post(deployments, { metadata: { name: 'late' }, spec })).status).toBe(404);
});
