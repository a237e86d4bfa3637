import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IncompatibleDatabaseError, shippedMigrations } from './migrate.js';
import type { StoreOptions } from './options.js';
import { openStore } from './postgres-store.js';
import { startTestServer, type TestServer } from './testing/servers.js';

/** What the servers know that run beside these during an upgrade, and after a rollback. */
const NEWEST_OF_RELEASE_BEFORE = 8;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());

async function opens(schema: string, options: Partial<StoreOptions> = {}) {
  const store = await openStore({ url: server.url, naming: 'orch', schema, ...options });
  await store.ping();
  await store.close();
  return store.installation;
}

describe('migration', () => {
  it('numbers its files without gaps, and is one step ahead of the release before', async () => {
    const numbers = (await shippedMigrations()).map((migration) => migration.number);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    expect(numbers.at(-1)).toBe(NEWEST_OF_RELEASE_BEFORE + 1);
  });

  it('many processes may open a new database at once', async () => {
    const schema = server.freshSchema();
    const installations = await Promise.all(Array.from({ length: 6 }, () => opens(schema)));
    expect(new Set(installations.map((installation) => installation.clusterId)).size).toBe(1);
  });

  it('refuses a database of another naming profile', async () => {
    const schema = server.freshSchema();
    await opens(schema, { clusterId: 'c-1' });
    await expect(opens(schema, { naming: 'other' })).rejects.toThrow(/naming profile orch/);
    expect(await opens(schema)).toEqual({ clusterId: 'c-1', naming: 'orch' });
  });

  it('works with a schema one step ahead and refuses one further on', async () => {
    const schema = server.freshSchema();
    await opens(schema);
    const session = await server.session(schema);
    const newest = (await shippedMigrations()).at(-1)?.number ?? 0;
    await session.query('INSERT INTO schema_migration (number, name) VALUES ($1, $2)', [newest + 1, 'next']);
    await opens(schema);
    await session.query('INSERT INTO schema_migration (number, name) VALUES ($1, $2)', [newest + 2, 'after next']);
    await expect(opens(schema)).rejects.toBeInstanceOf(IncompatibleDatabaseError);
  });
});
