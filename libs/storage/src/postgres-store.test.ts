import { describe } from 'vitest';
import { describeStore } from './contract.js';
import { openStore, type PostgresStore } from './postgres-store.js';
import { APART } from './testing/body-codec.js';
import { startPgBouncer } from './testing/pgbouncer.js';
import { hasSystemPostgres, SYSTEM_BINARIES, startTestServer } from './testing/servers.js';

async function underTest(binDir?: string, pooled = false) {
  const server = await startTestServer(binDir);
  const pooler = pooled ? await startPgBouncer(server.url) : undefined;
  const schema = server.freshSchema();
  const opened: PostgresStore[] = [];
  const open = async () => {
    const store = await openStore({
      url: pooler?.url ?? server.url,
      pooling: pooled ? 'transaction' : 'session',
      naming: 'orch',
      schema,
      pageRows: 200,
      bodies: APART,
    });
    opened.push(store);
    return store;
  };
  const store = await open();
  return {
    store,
    peer: open,
    async compact() {
      // An hour from now everything is old, and closed; two hours from now it is past any retention.
      const hour = 3_600_000;
      await store.compactor.runOnce(Date.now());
      await store.compactor.runOnce(Date.now() + hour);
      await store.compactor.runOnce(Date.now() + 2 * hour);
    },
    async dispose() {
      await Promise.all(opened.map((one) => one.close()));
      await pooler?.stop();
      await server.dispose();
    },
  };
}

describeStore('embedded PostgreSQL', () => underTest(), true);

// As few sessions as make every transaction meet those of others.
describeStore(
  'embedded PostgreSQL behind PgBouncer, a session for a transaction',
  () => underTest(undefined, true),
  true,
);

describe.skipIf(!hasSystemPostgres)('oldest supported release', () => {
  describeStore('PostgreSQL 15', () => underTest(SYSTEM_BINARIES), true);
});
