import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TypeId } from '../face/key.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { type PgBouncer, startPgBouncer } from '../testing/pgbouncer.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { DatabaseConnection } from './connection.js';

/** Defaults of the role that would lose writes, or let a statement or an idle transaction hold locks for ever. */
const BAD_DEFAULTS = {
  synchronous_commit: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
} as const;
const NAMES = Object.keys(BAD_DEFAULTS);

/** What is to hold in sessions: of options that no default has. */
const OPTIONS = { statementTimeout: 4_321, lockTimeout: 2_345, snapshotTimeout: 34_567 } as const;
const SHORT = ['on', '4321ms', '2345ms', '4321ms'];
const LONG = ['on', '34567ms', '2345ms', '34567ms'];

let server: TestServer;
let pooler: PgBouncer;
beforeAll(async () => {
  server = await startTestServer(undefined);
  const administrator = await server.session('public');
  for (const [name, value] of Object.entries(BAD_DEFAULTS)) {
    await administrator.query(`ALTER ROLE CURRENT_USER SET ${name} = '${value}'`);
  }
  pooler = await startPgBouncer(server.url);
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await pooler?.stop();
  await server?.dispose();
});

describe.each(['session', 'transaction'] as const)('with pooling by %s', (pooling) => {
  const urlOf = () => (pooling === 'transaction' ? pooler.url : server.url);

  it('every connection of every pool has our settings, whatever the role has for defaults', async () => {
    const opened = connections();
    const store = await openStore({ url: urlOf(), naming: 'orch', schema: server.freshSchema(), pooling, ...OPTIONS });
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    await useEveryPool(store, type);
    // One that is opened for a moment for types of thousands of objects, as the others are.
    const kept = store.pools().filter(([name]) => name !== 'measure');
    for (const [name, { open }] of kept) expect(open, name).toBeGreaterThan(0);
    const found = await Promise.all(opened.filter(({ broken }) => !broken).map(settingsOf));
    await store.close();
    expect(found.length).toBeGreaterThanOrEqual(5);
    // Those of the pool for lists may take longer.
    expect(found.filter(([, timeout]) => timeout === LONG[1])).toEqual([LONG]);
    for (const settings of found.filter(([, timeout]) => timeout !== LONG[1])) expect(settings).toEqual(SHORT);
  });

  it('every commit waits until it is flushed: of writes, of sets, of lanes that were held, of maintenance', async () => {
    const schema = server.freshSchema();
    const store = await openStore({ url: urlOf(), naming: 'orch', schema, pooling });
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const session = await server.session(schema);
    await session.query(`
      CREATE TABLE seen (place text, setting text, PRIMARY KEY (place, setting));
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO seen VALUES (TG_TABLE_NAME, current_setting('synchronous_commit')) ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$`);
    for (const table of ['object', 'change', 'maintenance_lease', 'heartbeat']) {
      await session.query(
        `CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION see()`,
      );
    }
    await useEveryPool(store, type);
    const places = async () => (await session.query('SELECT place, setting FROM seen ORDER BY place')).rows;
    await expect.poll(places).toHaveLength(4);
    for (const { setting, place } of await places()) expect(setting, place).toBe('on');
    await store.close();
  });
});

it('the server ends a statement that takes too long, a wait for a lock, and a transaction that is left open', async () => {
  const times = { statementTimeout: 400, lockTimeout: 200, answerTimeout: 30_000 };
  const opened = connections();
  const schema = server.freshSchema();
  const store = await openStore({ url: server.url, naming: 'orch', schema, ...times });
  await store.ping();
  const connection = opened.find(({ broken }) => !broken) ?? expect.unreachable();
  await expect(connection.query('SELECT pg_sleep(20)')).rejects.toMatchObject({ code: '57014' });
  const holder = await server.session(schema);
  await holder.query('BEGIN; LOCK TABLE installation');
  await expect(connection.query('SELECT FROM installation')).rejects.toMatchObject({ code: '55P03' });
  await holder.query('COMMIT');
  const broken = new Promise<void>((resolve) => connection.onBreak(resolve));
  await connection.query('BEGIN');
  await broken;
  await store.close();
});

/** Every connection that is opened from now on. */
function connections(): readonly DatabaseConnection[] {
  const opened: DatabaseConnection[] = [];
  const open = DatabaseConnection.open.bind(DatabaseConnection);
  vi.spyOn(DatabaseConnection, 'open').mockImplementation(async (...args) => {
    const connection = await open(...args);
    opened.push(connection);
    return connection;
  });
  return opened;
}

async function settingsOf(connection: DatabaseConnection): Promise<readonly string[]> {
  const columns = NAMES.map((name) => `current_setting('${name}')`).join(', ');
  const plain = await connection.query(`SELECT ${columns}`);
  const [prepared] = await connection.statement('settings', `SELECT ${columns}`, []);
  expect(prepared).toEqual(plain.at(-1));
  return (prepared ?? []).map(String);
}

/** Has the store use a connection for each of its purposes, and write on each that writes. */
async function useEveryPool(store: PostgresStore, type: TypeId): Promise<void> {
  const body = Buffer.from('{}');
  const create = (name: string) =>
    ({ op: 'create', type, namespace: '', name, uid: 'u', body, requireNamespace: false }) as const;
  expect(await store.write(create('a'))).toMatchObject({ outcome: 'committed' });
  await store.writeSet([create('b'), create('c')]);
  await store.get(type, { namespace: '', name: 'a' });
  const { head = 0n } = (await store.heads([type])).get(type) ?? {};
  await store.changes(type, 0n, 1).catch(() => undefined);
  // A version that nobody has drawn is waited for at the lane.
  await store.settledHead(type, head + 1n).catch(() => undefined);
  for await (const _page of (await store.snapshot({ type })).pages);
  await store.lease('any', 1_000).take();
}
