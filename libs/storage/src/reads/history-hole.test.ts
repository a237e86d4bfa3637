import { afterAll, beforeAll, expect, it } from 'vitest';
import { HistoryExpiredError } from '../face/errors.js';
import type { PriorDetail } from '../face/store.js';
import { openStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());

it.each<PriorDetail>(['body', 'version'])(
  'history that lacks a change in the middle has expired (%s)',
  async (prior) => {
    const schema = server.freshSchema();
    const store = await openStore({ url: server.url, naming: 'orch', schema });
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const created = { op: 'create', type, namespace: '', name: 'a', uid: 'u', requireNamespace: false } as const;
    let outcome = await store.write({ ...created, body: Buffer.from('{}') });
    const from = outcome.outcome === 'committed' ? outcome.version : 0n;
    for (const text of ['1', '2', '3']) {
      if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
      const { namespace, name } = created;
      const body = Buffer.from(`{"a":${text}}`);
      const { version } = outcome;
      outcome = await store.write({ op: 'update', type, namespace, name, body, version, terminating: false });
    }
    expect(await store.changes(type, from, 10, prior)).toHaveLength(3);
    const session = await server.session(schema);
    await session.query('DELETE FROM change WHERE version = (SELECT min(version) + 2 FROM change)');
    await expect(store.changes(type, from, 10, prior)).rejects.toThrow(HistoryExpiredError);
    await store.close();
  },
);
