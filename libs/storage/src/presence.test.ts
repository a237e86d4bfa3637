import type { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type PostgresStore } from './postgres-store.js';
import { startTestServer, type TestServer } from './testing/servers.js';

let server: TestServer;
let session: Client;
let stores: [PostgresStore, PostgresStore];
beforeAll(async () => {
  server = await startTestServer();
  const schema = server.freshSchema();
  const open = () => openStore({ url: server.url, naming: 'orch', schema });
  stores = [await open(), await open()];
  session = await server.session(schema);
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.dispose();
});
beforeEach(async () => {
  await session.query('DELETE FROM server');
});

const rows = async () =>
  (await session.query('SELECT served FROM server ORDER BY served')).rows.map((row) => row.served);
const least = () => stores[0].leastProgress();

describe('what servers tell of themselves', () => {
  it('is counted by the one that is furthest behind, each of the two things for itself', async () => {
    expect(await least()).toBeUndefined();
    const [one, two] = [stores[0].presence(60_000), stores[1].presence(60_000)];
    await one.tell({ served: 9n, drained: 3n });
    expect(await least()).toEqual({ served: 9n, drained: 3n });
    await two.tell({ served: 7n, drained: 5n });
    expect(await least()).toEqual({ served: 7n, drained: 3n });
    await two.tell({ served: 12n, drained: 12n });
    expect(await stores[1].leastProgress()).toEqual({ served: 9n, drained: 3n });
  });

  it('holds nobody up once the server has withdrawn, or its time is over', async () => {
    const [one, two, three] = [stores[0].presence(60_000), stores[1].presence(60_000), stores[1].presence(60_000)];
    await one.tell({ served: 9n, drained: 9n });
    await two.tell({ served: 1n, drained: 1n });
    await three.tell({ served: 2n, drained: 2n });
    await two.withdraw();
    expect(await least()).toEqual({ served: 2n, drained: 2n });
    await session.query("UPDATE server SET until = clock_timestamp() - interval '1 millisecond' WHERE served = 2");
    expect(await least()).toEqual({ served: 9n, drained: 9n });
    // It was only away.
    await three.tell({ served: 3n, drained: 3n });
    expect(await least()).toEqual({ served: 3n, drained: 3n });
  });

  it('goes back where a database has', async () => {
    const one = stores[0].presence(60_000);
    await one.tell({ served: 9n, drained: 9n });
    await one.tell({ served: 4n, drained: 4n });
    expect(await least()).toEqual({ served: 4n, drained: 4n });
  });

  it('is forgotten an hour after the server died, when another one starts', async () => {
    await stores[0].presence(60_000).tell({ served: 1n, drained: 1n });
    await stores[0].presence(60_000).tell({ served: 2n, drained: 2n });
    await session.query("UPDATE server SET until = clock_timestamp() - interval '61 minutes' WHERE served = 1");
    await session.query("UPDATE server SET until = clock_timestamp() - interval '59 minutes' WHERE served = 2");
    const last = stores[1].presence(60_000);
    await last.tell({ served: 3n, drained: 3n });
    expect(await rows()).toEqual(['2', '3']);
  });

  it('takes versions of any size', async () => {
    await stores[0].presence(60_000).tell({ served: 2n ** 63n - 1n, drained: 0n });
    expect(await least()).toEqual({ served: 2n ** 63n - 1n, drained: 0n });
  });
});
