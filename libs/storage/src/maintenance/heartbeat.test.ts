import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());

it('goes on while maintenance waits for something: that a database is in use is no matter of its being tidy', async () => {
  const schema = server.freshSchema();
  // Maintenance waits here for as long as three beats take, on a slow machine too.
  const store = await openStore({
    url: server.url,
    naming: 'orch',
    schema,
    lockTimeout: 60_000,
    statementTimeout: 60_000,
    answerTimeout: 60_000,
  });
  const [session, looker] = [await server.session(schema), await server.session(schema)];
  try {
    await session.query('BEGIN; LOCK TABLE maintenance_lease IN ACCESS EXCLUSIVE MODE');
    const taken = store.lease('tidying', 1_000).take();
    const beats = async () => (await looker.query('SELECT at::text FROM heartbeat')).rows[0].at as string;
    const seen = new Set([await beats()]);
    await expect.poll(async () => seen.add(await beats()).size, { timeout: 10_000 }).toBeGreaterThan(2);
    await session.query('COMMIT');
    expect(await taken).toBe(true);
  } finally {
    await Promise.all([session.end(), looker.end(), store.close()]);
  }
});
