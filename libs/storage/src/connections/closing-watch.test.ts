import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { ClosingWatch } from './closing-watch.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());

it('a store that is about to be closed does not wait for a database that is away, call after call', async () => {
  const store = await openStore({ url: server.url, naming: 'orch', schema: server.freshSchema() });
  const side = store.besideSchema('side', [{ number: 1, name: '0001-first', text: 'CREATE TABLE first ()' }]);
  await side.open();
  await server.stop();
  store.prepareClose();
  const began = performance.now();
  for (let i = 0; i < 10; i++) {
    await expect(store.ping()).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await expect(store.lease('any', 1_000).take()).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await expect(side.query('SELECT 1', [])).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  }
  // Thirty calls of three seconds each otherwise.
  expect(performance.now() - began).toBeLessThan(10_000);
  await side.close();
  await store.close();
  await server.start();
});

it('a store that is about to be closed goes on where the database answers', async () => {
  const store = await openStore({ url: server.url, naming: 'orch', schema: server.freshSchema() });
  const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  store.prepareClose();
  const body = Buffer.from('{}');
  const write = store.write({ op: 'create', type, namespace: '', name: 'a', uid: 'u', body, requireNamespace: false });
  expect(await write).toMatchObject({ outcome: 'committed' });
  await store.close();
});

it('a database is given up only when it has not answered for the whole of the patience', async () => {
  let pings = 0;
  let givenUp = 0;
  const ended = new Promise<void>((resolve) => {
    const ping = async () => {
      pings++;
      // A session that was cut, as on a failover, is followed by one that answers.
      if (pings === 2 || pings > 6) throw new Error('cut');
    };
    // More than a process stands still on a busy machine: between two pings it may not.
    new ClosingWatch({ ping, patience: 1_000, giveUp: async () => resolve(void givenUp++) });
  });
  await ended;
  expect(givenUp).toBe(1);
  expect(pings).toBeGreaterThan(6);
});

it('a database is not given up once the watch was stopped', async () => {
  let givenUp = 0;
  const ping = () => Promise.reject(new Error('away'));
  const watch = new ClosingWatch({ ping, patience: 20, giveUp: async () => void givenUp++ });
  watch.stop();
  // One that is more patient would come after it.
  await new Promise<void>((resolve) => {
    new ClosingWatch({ ping, patience: 60, giveUp: async () => resolve() });
  });
  expect(givenUp).toBe(0);
});
