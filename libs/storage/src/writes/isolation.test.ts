import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DatabaseConnection } from '../connections/connection.js';
import { parseDatabaseUrl } from '../connections/connection-url.js';
import { completeOptions } from '../face/options.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.dispose());

/** What a session of ours has whose user has another default than PostgreSQL's. */
async function isolationOf(pooling: 'session' | 'transaction') {
  const administrator = new pg.Client(server.url);
  await administrator.connect();
  try {
    await administrator.query(`ALTER ROLE CURRENT_USER SET default_transaction_isolation = 'repeatable read'`);
    const address = parseDatabaseUrl(server.url);
    const [host] = address.hosts;
    if (!host) throw new Error('no host');
    const options = completeOptions({ url: server.url, naming: 'orch', schema: server.freshSchema(), pooling });
    const connection = await DatabaseConnection.open(host, { ...options, address, idleTransactionTimeout: 10_000 });
    return await connection
      .query(`SELECT current_setting('transaction_isolation')`, [])
      .finally(() => connection.end());
  } finally {
    await administrator.query('ALTER ROLE CURRENT_USER RESET default_transaction_isolation');
    await administrator.end();
  }
}

// With a snapshot from before it had its lane, a write would not see what was created meanwhile: no key refuses a second one.
it('a write sees what was committed before it got its lane, whatever its user has for a default', async () => {
  expect(await isolationOf('session')).toEqual([['read committed']]);
});

it('behind a pooler that default is refused', async () => {
  await expect(isolationOf('transaction')).rejects.toMatchObject({ code: '25001' });
});
