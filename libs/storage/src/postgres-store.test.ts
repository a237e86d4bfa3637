import { describe } from 'vitest';
import { describeStore } from './contract.js';
import { openStore, type PostgresStore } from './postgres-store.js';
import { hasSystemPostgres, SYSTEM_BINARIES, startTestServer } from './testing/servers.js';

async function underTest(binDir?: string) {
  const server = await startTestServer(binDir);
  const schema = server.freshSchema();
  const opened: PostgresStore[] = [];
  const open = async () => {
    const store = await openStore({ url: server.url, naming: 'orch', schema, pageRows: 200 });
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
      await server.dispose();
    },
  };
}

describeStore('embedded PostgreSQL', () => underTest());

describe.skipIf(!hasSystemPostgres)('oldest supported release', () => {
  describeStore('PostgreSQL 15', () => underTest(SYSTEM_BINARIES));
});
