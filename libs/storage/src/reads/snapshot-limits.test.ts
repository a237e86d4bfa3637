import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { DatabaseConnection } from '../connections/connection.js';
import type { TypeId, Version } from '../face/key.js';
import type { StoreOptions } from '../face/options.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

const MINUTE = 60_000;
let server: TestServer;
const stores: PostgresStore[] = [];
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(stores.splice(0).map((store) => store.close()));
});
afterAll(() => server.dispose());

async function open(schema: string, options: Partial<StoreOptions> = {}) {
  const store = await openStore({ url: server.url, naming: 'orch', schema, ...options });
  stores.push(store);
  const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  return { store, type };
}

async function create(store: PostgresStore, type: TypeId, name: string, body = Buffer.from('{}')): Promise<Version> {
  const key = { namespace: '', name };
  const outcome = await store.write({ op: 'create', type, ...key, uid: 'u', body, requireNamespace: false });
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

it('history stays for an exact read from when its floor was looked at, also between two of its statements', async () => {
  const schema = server.freshSchema();
  const { store, type } = await open(schema);
  const start = Date.now();
  await create(store, type, 'a');
  const at = await create(store, type, 'b');
  const row = await store.get(type, { namespace: '', name: 'a' });
  const { version = 0n } = row ?? {};
  const key = { namespace: '', name: 'a' };
  await store.write({ op: 'update', type, ...key, version, body: Buffer.from('{"new":1}'), terminating: false });
  await store.compactor.runOnce(start);
  await store.compactor.runOnce(start + MINUTE);
  const { store: other } = await open(schema);
  const rounds: unknown[] = [];
  const looker = await server.session(schema);
  // Compaction waits at the first of these, where no writer stands behind it.
  const LOCKED = `SELECT relation::regclass::text AS name FROM pg_locks
     WHERE mode = 'AccessShareLock' AND relation IN ('history_partition'::regclass, 'change'::regclass)
       AND pid IN (SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction') ORDER BY name DESC`;
  const locked: string[] = [];
  const query = DatabaseConnection.prototype.query;
  vi.spyOn(DatabaseConnection.prototype, 'query').mockImplementation(async function (
    this: DatabaseConnection,
    ...args
  ) {
    const rows = await query.apply(this, args);
    // The transaction of the read has begun, and has seen that its version is above the floor.
    if (!args[0].includes('REPEATABLE READ')) return rows;
    locked.push(...(await looker.query(LOCKED)).rows.map(({ name }) => name));
    rounds.push(await other.compactor.runOnce(start + 20 * MINUTE));
    return rows;
  });
  const snapshot = await store.snapshot({ type, at });
  expect(locked).toEqual(['history_partition', 'change']);
  expect(rounds).toMatchObject([{ ran: true, dropped: [], left: [{ locked: true }] }]);
  const bodies: string[] = [];
  for await (const page of snapshot.pages) bodies.push(...page.map(({ name, body }) => `${name} ${body}`));
  expect(bodies).toEqual(['a {}', 'b {}']);
  // Once it has been read nothing keeps it any more.
  expect((await other.compactor.runOnce(start + 20 * MINUTE)).dropped).toEqual([0n]);
});

it('a snapshot that nobody reads gives its connection up after the time that it may take, and fails', async () => {
  const { store, type } = await open(server.freshSchema(), { snapshotTimeout: 1_000, snapshotConnections: 1 });
  // More than the sockets between hold.
  const large = Buffer.alloc(1 << 20, 'x');
  for (let i = 0; i < 30; i++) await create(store, type, `o${i}`, large);
  const { pages } = await store.snapshot({ type });
  const openOnes = () => Object.fromEntries(store.pools()).snapshot?.open;
  expect(openOnes()).toBe(1);
  await expect.poll(openOnes).toBe(0);
  // Others have it.
  expect((await store.snapshot({ type, limit: 1 })).version).toBeGreaterThan(0n);
  await expect(readAll(pages)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
});

async function readAll(pages: AsyncIterable<readonly unknown[]>): Promise<number> {
  let rows = 0;
  for await (const page of pages) rows += page.length;
  return rows;
}
