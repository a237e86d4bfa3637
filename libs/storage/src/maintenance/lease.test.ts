import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

let server: TestServer;
let schema: string;
let stores: PostgresStore[];
beforeAll(async () => {
  server = await startTestServer();
  schema = server.freshSchema();
  const open = () => openStore({ url: server.url, naming: 'orch', schema });
  stores = [await open(), await open()];
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.dispose();
});

it('is known to others while it is held', async () => {
  const [one, two] = stores.map((store, at) => store.lease(`address/10.0.0.${at}`, 60_000));
  const held = () => stores[0]?.heldLeases('address/');
  await two?.take();
  await one?.take();
  expect(await held()).toEqual(['address/10.0.0.0', 'address/10.0.0.1']);
  await one?.giveBack();
  expect(await held()).toEqual(['address/10.0.0.1']);
  const session = await server.session(schema);
  await session.query(
    "UPDATE maintenance_lease SET until = now() - interval '1 second' WHERE name = 'address/10.0.0.1'",
  );
  expect(await held()).toEqual([]);
});

it('is held by one process, until it is given back or its time is over', async () => {
  const [one, two] = stores.map((store) => store.lease('work', 60_000));
  const other = stores[1]?.lease('other work', 60_000);
  expect(await one?.take()).toBe(true);
  expect(await two?.take()).toBe(false);
  expect(await one?.take()).toBe(true);
  expect(await other?.take()).toBe(true);
  await two?.giveBack();
  expect(await two?.take()).toBe(false);
  await one?.giveBack();
  expect(await two?.take()).toBe(true);
  expect(await one?.take()).toBe(false);
  const session = await server.session(schema);
  await session.query("UPDATE maintenance_lease SET until = now() - interval '1 second' WHERE name = 'work'");
  expect(await one?.take()).toBe(true);
  expect(await two?.take()).toBe(false);
});

it('is told of by each process that has asked for it, until it is given back or its time is over', async () => {
  const [first, second] = stores;
  const ofReported = (name: string) => stores.map((store) => store.leases().filter((lease) => lease.name === name));
  const [one, two] = [first?.lease('told', 60_000), second?.lease('told', 60_000)];
  expect(ofReported('told')).toEqual([[], []]);
  await one?.take();
  expect(ofReported('told')).toEqual([[{ name: 'told', held: true }], []]);
  await two?.take();
  expect(ofReported('told')).toEqual([[{ name: 'told', held: true }], [{ name: 'told', held: false }]]);
  await one?.giveBack();
  await two?.take();
  expect(ofReported('told')).toEqual([[{ name: 'told', held: false }], [{ name: 'told', held: true }]]);
  const brief = first?.lease('brief', 50);
  await brief?.take();
  await vi.waitUntil(() => ofReported('brief')[0]?.[0]?.held === false);
});

it('of several with one name in a process is told of once', async () => {
  const [taken, other] = [stores[0]?.lease('twice', 60_000), stores[0]?.lease('twice', 60_000)];
  expect([await taken?.take(), await other?.take()]).toEqual([true, false]);
  expect(stores[0]?.leases().filter(({ name }) => name === 'twice')).toEqual([{ name: 'twice', held: true }]);
});
