import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TypeId, Version } from '../face/key.js';
import type { Change } from '../face/store.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { DUE, ExpiryQueue } from './expiry-queue.js';

let server: TestServer;
const stores: PostgresStore[] = [];
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});
afterAll(() => server.dispose());

async function open(schema: string): Promise<PostgresStore> {
  const store = await openStore({ url: server.url, naming: 'orch', schema });
  stores.push(store);
  return store;
}

async function setUp() {
  const schema = server.freshSchema();
  const store = await open(schema);
  const [type = 0, other = 0] = await store.registerTypes([
    { group: '', resource: 'events' },
    { group: '', resource: 'things' },
  ]);
  const session = await server.session(schema);
  /** Lets time pass for all that was noted so far. */
  const age = (seconds: number) =>
    session.query('UPDATE version_mark SET at = at - make_interval(secs => $1)', [seconds]);
  return { schema, store, type, other, age, session };
}

const body = Buffer.from('{"metadata":{"name":"x"}}');

async function create(store: PostgresStore, type: TypeId, name: string, content = body): Promise<Version> {
  const key = { namespace: 'n', name };
  const outcome = await store.write({
    op: 'create',
    type,
    ...key,
    uid: 'u',
    body: content,
    requireNamespace: false,
  });
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

async function names(store: PostgresStore, type: TypeId): Promise<string[]> {
  const found: string[] = [];
  for await (const page of (await store.snapshot({ type })).pages) found.push(...page.map(({ name }) => name));
  return found;
}

const HOUR = 3_600_000;

describe('expiry', () => {
  it('deletes what nobody has written for as long, and only of its type', async () => {
    const { store, type, other, age } = await setUp();
    const expirer = store.expirer(type, HOUR);
    await create(store, type, 'old');
    const touched = await create(store, type, 'touched');
    await create(store, other, 'thing');
    expect(await expirer.runOnce()).toEqual({ ran: true, deleted: 0 });
    await age(1800);
    await store.write({
      op: 'update',
      type,
      namespace: 'n',
      name: 'touched',
      version: touched,
      body,
      terminating: false,
    });
    await create(store, type, 'young');
    expect(await expirer.runOnce()).toEqual({ ran: true, deleted: 0 });
    await age(1801);
    const reported: Change[] = [];
    store.onCommit((changes) => reported.push(...changes));
    expect(await expirer.runOnce()).toEqual({ ran: true, deleted: 1 });
    expect(await names(store, type)).toEqual(['touched', 'young']);
    expect(reported).toMatchObject([{ op: 'delete', name: 'old', body }]);
    await age(1800);
    expect(await expirer.runOnce()).toEqual({ ran: true, deleted: 2 });
    expect(await names(store, other)).toEqual(['thing']);
  });

  it('takes in bounded batches whatever there is, and keeps few marks', async () => {
    const { store, type, age, session } = await setUp();
    const expirer = store.expirer(type, HOUR);
    await Promise.all(Array.from({ length: 1050 }, (_, i) => create(store, type, `e${i}`)));
    for (let i = 0; i < 5; i++) await expirer.runOnce();
    await age(3600);
    expect(await expirer.runOnce()).toEqual({ ran: true, deleted: 1050 });
    await age(3600);
    await expirer.runOnce();
    const { rows } = await session.query('SELECT count(*)::int AS marks FROM version_mark');
    expect(rows).toEqual([{ marks: 2 }]);
  });

  it('takes no more bodies into memory at a time than may be written at a time, and deletes all the same', async () => {
    const { schema, type, age } = await setUp();
    const bytes = 100_000;
    const store = await openStore({ url: server.url, naming: 'orch', schema, batchBytes: bytes });
    stores.push(store);
    const expirer = store.expirer(type, HOUR);
    const large = Buffer.alloc(60_000, 'x');
    for (let i = 0; i < 10; i++) await create(store, type, `large${i}`, i === 5 ? Buffer.alloc(3 * bytes, 'x') : large);
    await expirer.runOnce();
    await age(3601);
    const batches: number[] = [];
    const due = ExpiryQueue.prototype.due;
    vi.spyOn(ExpiryQueue.prototype, 'due').mockImplementation(async function (this: ExpiryQueue, ...args) {
      const found = await due.apply(this, args);
      batches.push(found.rows.reduce((sum, row) => sum + row.body.length, 0));
      return found;
    });
    expect(await expirer.runOnce()).toMatchObject({ deleted: 10 });
    vi.restoreAllMocks();
    // The one with which the bound is reached comes as well.
    expect(Math.max(...batches)).toBeLessThan(4 * bytes);
    expect(batches.length).toBeGreaterThan(4);
    expect(await names(store, type)).toEqual([]);
  });

  /** Blocks that a search for what is due looks at. */
  async function blocks({ session, type }: Awaited<ReturnType<typeof setUp>>): Promise<number> {
    const { rows: progress } = await session.query('SELECT spent FROM expiry_progress');
    const search = DUE.replace(
      /\$(\d)/g,
      (_, i) => [type, progress[0].spent, '9223372036854775807', 100, 4 << 20][i - 1],
    );
    await session.query('SET enable_seqscan = off');
    const { rows } = await session.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${search}`);
    const plan = rows[0]['QUERY PLAN'][0].Plan;
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }

  it('reads what is due and not the rest, also while an old snapshot keeps what was deleted', async () => {
    const all = await setUp();
    const { schema, store, type, age } = all;
    const expirer = store.expirer(type, HOUR);
    const snapshot = await server.session(schema);
    await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM object');
    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 1000 }, (_, i) => create(store, type, `e${round}-${i}`)));
      await expirer.runOnce();
      await age(1200);
    }
    // The first two thousand are due, and gone; the next are found without looking at them.
    expect(await names(store, type)).toHaveLength(3000);
    await age(1);
    expect(await expirer.runOnce()).toMatchObject({ deleted: 1000 });
    expect(await blocks(all)).toBeLessThan(1000);
    await snapshot.query('COMMIT');
  });

  it('finds what was written while nobody looked and history was dropped', async () => {
    const { store, type, age } = await setUp();
    const expirer = store.expirer(type, HOUR);
    await create(store, type, 'a');
    await expirer.runOnce();
    await create(store, type, 'b');
    for (const minutes of [0, 1, 10]) await store.compactor.runOnce(Date.now() + minutes * 60_000);
    expect((await store.heads([type])).get(type)).toMatchObject({ floor: (await store.heads([type])).get(type)?.head });
    await create(store, type, 'c');
    await expirer.runOnce();
    await age(3601);
    expect(await expirer.runOnce()).toEqual({ ran: true, deleted: 3 });
  });

  it('is done by one process at a time, and by another when that one is no more', async () => {
    const { schema, store, type, age, session } = await setUp();
    const other = (await open(schema)).expirer(type, HOUR);
    const expirer = store.expirer(type, HOUR);
    await Promise.all(Array.from({ length: 500 }, (_, i) => create(store, type, `e${i}`)));
    await expirer.runOnce();
    await age(3601);
    const rounds = await Promise.all([expirer.runOnce(), other.runOnce()]);
    // The second may ask when the first has given the lease back already.
    expect(rounds.some(({ ran }) => ran)).toBe(true);
    expect(rounds.reduce((sum, { deleted }) => sum + deleted, 0)).toBe(500);
    expect((await other.runOnce()).ran).toBe(true);
    // One that has died leaves its lease behind.
    await session.query("UPDATE maintenance_lease SET holder = 'dead', until = now() + interval '1 minute'");
    expect((await expirer.runOnce()).ran).toBe(false);
    await session.query("UPDATE maintenance_lease SET until = now() - interval '1 second'");
    expect((await expirer.runOnce()).ran).toBe(true);
  });

  it('runs by itself at a small time to live, never too early', async () => {
    const { store, type } = await setUp();
    const expirer = store.expirer(type, 1000);
    const gone = new Map<string, number>();
    store.onCommit((changes) => {
      for (const change of changes) if (change.op === 'delete') gone.set(change.name, performance.now());
    });
    expirer.start();
    const written = new Map<string, number>();
    for (const name of ['a', 'b', 'c']) {
      await create(store, type, name);
      written.set(name, performance.now());
    }
    await expect.poll(() => gone.size, { timeout: 20_000 }).toBe(3);
    await expirer.stop();
    for (const [name, at] of gone) expect(at - (written.get(name) ?? 0)).toBeGreaterThan(950);
  });
});
