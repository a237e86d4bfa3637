import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TypeId, Version } from '../face/key.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

/** Versions a second that no installation draws; what a server leaps over is counted in them. */
const PACE = 1_000_000n;
const HOUR = 3_600n;

let server: TestServer;
const stores: PostgresStore[] = [];
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(() => closeAll());
afterAll(() => server.dispose());

async function closeAll(): Promise<void> {
  await Promise.all(stores.splice(0).map((store) => store.close()));
}

async function open(schema: string) {
  const store = await openStore({ url: server.url, naming: 'orch', schema });
  stores.push(store);
  const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  return { store, type };
}

async function create(store: PostgresStore, type: TypeId, name: string): Promise<Version> {
  const body = Buffer.from('{}');
  const key = { namespace: '', name };
  const outcome = await store.write({ op: 'create', type, ...key, uid: 'u', body, requireNamespace: false });
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

async function looker(schema: string) {
  const session = await server.session(schema);
  return {
    /** Lets so many seconds pass since somebody was there last. */
    age: (seconds: number) => session.query('UPDATE heartbeat SET at = at - make_interval(secs => $1)', [seconds]),
    branches: async () =>
      (await session.query('SELECT began, ended FROM branch ORDER BY began')).rows as {
        began: string;
        ended: string;
      }[],
    line: async () => (await session.query('SELECT origin_version FROM heartbeat')).rows[0].origin_version as string,
  };
}

it('a server that starts after six seconds without anybody leaves out what may have been drawn, and an hour more', async () => {
  const schema = server.freshSchema();
  const first = await open(schema);
  const last = await create(first.store, first.type, 'a');
  await closeAll();
  const { age, branches, line } = await looker(schema);
  await age(6);
  const { store, type } = await open(schema);
  const [branch, ...more] = await branches();
  expect(more).toEqual([]);
  expect(BigInt(branch?.ended ?? 0)).toBe(last);
  // Clocks of servers, and of a database that was lost, may differ by that.
  const began = BigInt(branch?.began ?? 0);
  expect(began).toBeGreaterThanOrEqual(BigInt(await line()) + HOUR * PACE);
  expect(await create(store, type, 'b')).toBeGreaterThanOrEqual(began);
  expect(store.isLost(type, began - 1n)).toBe(true);
});

it('a server that runs notices by itself that the database stood still, without a new connection', async () => {
  const schema = server.freshSchema();
  const { store, type } = await open(schema);
  const last = await create(store, type, 'a');
  const { age, branches } = await looker(schema);
  // On a new connection it would look at the history anyway; the heartbeat has this one.
  await store.ping();
  const connections = () => store.pools().reduce((sum, [, { open: count }]) => sum + count, 0);
  const before = connections();
  await age(6);
  await expect.poll(branches).toMatchObject([{ ended: String(last) }]);
  await expect.poll(() => store.isLost(type, last + 1n)).toBe(true);
  expect(connections()).toBe(before);
});

it('a server that starts beside one that runs leaves nothing out', async () => {
  const schema = server.freshSchema();
  const one = await open(schema);
  const version = await create(one.store, one.type, 'a');
  const { branches } = await looker(schema);
  const other = await open(schema);
  expect(await create(other.store, other.type, 'b')).toBe(version + 1n);
  expect(await branches()).toEqual([]);
});
