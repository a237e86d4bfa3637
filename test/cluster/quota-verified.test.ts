import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orch/storage/embedded';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../faults/stage/sql.js';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const POLL = { timeout: 60_000, interval: 50 };
const NAMESPACE = '/api/v1/namespaces/default';

const dir = mkdtempSync(join(tmpdir(), 'orch-verified-'));
let database: EmbeddedPostgres;
let server: Standalone;
let api: Api;
beforeAll(async () => {
  database = await startEmbeddedPostgres({ dataDir: dir });
  server = await startStandalone({ args: [`--postgres-url=${database.url}`, '--quota-verify-interval=1s'] });
  api = new Api(server);
}, 120_000);
afterAll(async () => {
  api?.close();
  await server?.stop();
  await database?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function counted(metric: string, label: string): Promise<number> {
  const { text } = await api.get('/metrics');
  return Number(new RegExp(`^orch_quota_${metric}_total\\{${label}\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

test('what a quota tells is looked at now and then, and mended where it is not true', async () => {
  const quota = { metadata: { name: 'q' }, spec: { hard: { configmaps: '9' } } };
  expect((await api.post(`${NAMESPACE}/resourcequotas`, quota)).status).toBe(201);
  const used = async () => (await api.get(`${NAMESPACE}/resourcequotas/q`)).json<ApiObject>().status?.used?.configmaps;
  await expect.poll(used, POLL).toMatch(/^\d+$/);
  expect(await counted('counts', 'reason="new"')).toBe(1);
  const before = Number(await used());
  expect((await api.post(`${NAMESPACE}/configmaps`, { metadata: { name: 'one' } })).status).toBe(201);
  await expect.poll(() => counted('verifications', 'result="true"'), POLL).toBeGreaterThan(1);
  expect(await counted('verifications', 'result="mended"')).toBe(0);
  // One that nothing was charged for.
  await sql(database.url, `DELETE FROM cluster.tally WHERE name = 'q'`);
  expect((await api.post(`${NAMESPACE}/configmaps`, { metadata: { name: 'two' } })).status).toBe(201);
  await expect.poll(used, POLL).toBe(String(before + 2));
  await expect.poll(() => counted('verifications', 'result="mended"'), POLL).toBe(1);
  expect((await api.delete(`${NAMESPACE}/configmaps/two`)).status).toBe(200);
  expect(await used()).toBe(String(before + 1));
});
