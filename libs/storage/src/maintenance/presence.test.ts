import type { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

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

/** Drained as servers of the release before have it; what is held says more. */
const word = (served: bigint, drained = served, held: readonly string[] = []) => ({ served, drained, held });
const reached = (version: bigint, ...held: readonly string[]) => ({
  served: version,
  drained: version,
  held: new Set(held),
});

describe('what servers tell of themselves', () => {
  it('is counted by the one that is furthest behind', async () => {
    expect(await least()).toBeUndefined();
    const [one, two] = [stores[0].presence(60_000), stores[1].presence(60_000)];
    await one.publish(word(9n));
    expect(await least()).toEqual(reached(9n));
    await two.publish(word(7n));
    expect(await least()).toEqual(reached(7n));
    await two.publish(word(12n));
    expect(await stores[1].leastProgress()).toEqual(reached(9n));
  });

  it('names what each of them holds, so that it holds up nothing else', async () => {
    const [one, two] = [stores[0].presence(60_000), stores[1].presence(60_000)];
    await one.publish(word(9n, 3n, ['a', 'b']));
    await two.publish(word(7n, 5n, ['b', 'c']));
    expect(await least()).toEqual(reached(7n, 'a', 'b', 'c'));
    await one.publish(word(9n));
    expect(await least()).toEqual(reached(7n, 'b', 'c'));
  });

  it('is counted as before of those of the release before, who do not name what they hold', async () => {
    await stores[0].presence(60_000).publish(word(9n, 3n, ['a']));
    await session.query("INSERT INTO server VALUES ('old', clock_timestamp() + interval '1 minute', 8, 6)");
    expect(await least()).toEqual({ served: 8n, drained: 6n, held: new Set(['a']) });
    // They read the other column.
    expect((await session.query('SELECT min(drained) FROM server')).rows).toEqual([{ min: '3' }]);
  });

  it('holds nobody up once the server has withdrawn, or its time is over', async () => {
    const [one, two, three] = [stores[0].presence(60_000), stores[1].presence(60_000), stores[1].presence(60_000)];
    await one.publish(word(9n));
    await two.publish(word(1n, 1n, ['a']));
    await three.publish(word(2n, 2n, ['b']));
    await two.withdraw();
    expect(await least()).toEqual(reached(2n, 'b'));
    await session.query("UPDATE server SET until = clock_timestamp() - interval '1 millisecond' WHERE served = 2");
    expect(await least()).toEqual(reached(9n));
    // It was only away.
    await three.publish(word(3n));
    expect(await least()).toEqual(reached(3n));
  });

  it('goes back where a database has', async () => {
    const one = stores[0].presence(60_000);
    await one.publish(word(9n));
    await one.publish(word(4n));
    expect(await least()).toEqual(reached(4n));
  });

  it('is forgotten an hour after the server died, when another one starts', async () => {
    await stores[0].presence(60_000).publish(word(1n, 1n));
    await stores[0].presence(60_000).publish(word(2n, 2n));
    await session.query("UPDATE server SET until = clock_timestamp() - interval '61 minutes' WHERE served = 1");
    await session.query("UPDATE server SET until = clock_timestamp() - interval '59 minutes' WHERE served = 2");
    const last = stores[1].presence(60_000);
    await last.publish(word(3n, 3n));
    expect(await rows()).toEqual(['2', '3']);
  });

  it('takes versions of any size', async () => {
    await stores[0].presence(60_000).publish(word(2n ** 63n - 1n, 0n));
    expect(await least()).toEqual(reached(2n ** 63n - 1n));
  });
});
