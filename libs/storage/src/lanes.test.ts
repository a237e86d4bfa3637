import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StoreOptions } from './options.js';
import { openStore, type PostgresStore } from './postgres-store.js';
import type { TypeId, Version, WriteOutcome } from './store.js';
import { startTestServer, type TestServer } from './testing/servers.js';

let server: TestServer;
let schema: string;
let looker: pg.Client;
const stores: PostgresStore[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  schema = server.freshSchema();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});
afterAll(() => server.dispose());

async function open(options: Partial<StoreOptions> = {}): Promise<PostgresStore> {
  const store = await openStore({ url: server.url, naming: 'orch', schema, ...options });
  stores.push(store);
  looker = await server.session(schema);
  return store;
}

async function typesIn(store: PostgresStore, count = 1): Promise<readonly TypeId[]> {
  return store.registerTypes(Array.from({ length: count }, (_, i) => ({ group: '', resource: `things${i}` })));
}

const body = Buffer.from('{}');

function create(store: PostgresStore, type: TypeId, name: string): Promise<WriteOutcome> {
  return store.write({ op: 'create', type, namespace: '', name, uid: 'u', body, requireNamespace: false });
}

/** A write of another process that is not committed yet. */
async function writeInFlight(type: TypeId, name = 'in-flight') {
  const other = await server.session(schema);
  await other.query('BEGIN');
  const { rows } = await other.query(
    `SELECT o_version FROM write_batch($1, '{}', 0, $1, '{1}', '{""}', ARRAY[$2], '{u}', '{0}', '{x}')`,
    [[type], name],
  );
  return { version: BigInt(rows[0].o_version), commit: () => other.query('COMMIT') };
}

/** How many wait for the lane of a type. */
async function waiting(type: TypeId): Promise<number> {
  const { rows } = await looker.query(
    `SELECT count(*)::int AS n FROM pg_locks
      WHERE locktype = 'advisory' AND NOT granted AND classid = 'lane'::regclass AND objid = $1`,
    [type],
  );
  return rows[0].n;
}

const versionOf = (outcome: WriteOutcome): Version => (outcome.outcome === 'committed' ? outcome.version : 0n);

describe('a lane that somebody holds', () => {
  it('is waited for, and given up with certainty', async () => {
    const store = await open({ lockTimeout: 200 });
    const [type = 0] = await typesIn(store);
    const other = await writeInFlight(type);
    await expect(create(store, type, 'waiting')).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      undecided: false,
    });
    expect(await store.get(type, { namespace: '', name: 'waiting' })).toBeUndefined();
    await expect(store.settledHead(type, other.version)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await other.commit();
    expect(versionOf(await create(store, type, 'waiting'))).toBeGreaterThan(other.version);
  });
});

describe('a settled head', () => {
  it('waits out a write in flight', async () => {
    const store = await open();
    const [type = 0] = await typesIn(store);
    const other = await writeInFlight(type);
    const settled = store.settledHead(type, other.version);
    await expect.poll(() => waiting(type)).toBe(1);
    await other.commit();
    expect((await settled).head).toBe(other.version);
  });

  it('waits for nothing where the head has passed the version asked for', async () => {
    const store = await open({ lockTimeout: 200 });
    const [type = 0] = await typesIn(store);
    const reached = versionOf(await create(store, type, 'a'));
    const other = await writeInFlight(type);
    expect((await store.settledHead(type, reached)).head).toBe(reached);
    await other.commit();
  });

  it('is waited for once for all that ask in a process', async () => {
    const store = await open();
    const [type = 0] = await typesIn(store);
    const other = await writeInFlight(type);
    const settled = [store.settledHead(type, other.version)];
    await expect.poll(() => waiting(type)).toBe(1);
    settled.push(...Array.from({ length: 20 }, () => store.settledHead(type, other.version)));
    await Promise.all(Array.from({ length: 20 }, () => store.heads([type])));
    expect(await waiting(type)).toBe(1);
    await other.commit();
    expect((await Promise.all(settled)).every(({ head }) => head === other.version)).toBe(true);
  });

  it('overtakes no writer that waits already, also while others look', async () => {
    const [writer, reader] = [await open(), await open()];
    const [type = 0] = await typesIn(writer);
    const ahead = versionOf(await create(writer, type, 'a')) + 1000n;
    // Somebody who looks as long as the test wants.
    const looking = await server.session(schema);
    await looking.query('BEGIN');
    await looking.query('SELECT await_lane($1)', [type]);
    const writing = create(writer, type, 'b');
    await expect.poll(() => waiting(type)).toBe(1);
    const settled = reader.settledHead(type, ahead);
    await expect.poll(() => waiting(type)).toBe(2);
    await looking.query('COMMIT');
    expect((await settled).head).toBe(versionOf(await writing));
  });
});
