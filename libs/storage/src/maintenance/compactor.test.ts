import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TypeId, Version } from '../face/key.js';
import type { StoreOptions } from '../face/options.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import type { CompactionRound } from './compactor.js';

const MINUTE = 60_000;
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
  const store = await openStore({ url: server.url, naming: 'orch', schema, pageRows: 10 });
  stores.push(store);
  return store;
}

async function setUp() {
  const schema = server.freshSchema();
  const store = await open(schema);
  const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  return { schema, store, type };
}

async function create(store: PostgresStore, type: TypeId, name: string, body = Buffer.from('{}')): Promise<Version> {
  const outcome = await store.write({
    op: 'create',
    type,
    namespace: '',
    name,
    uid: 'u',
    body,
    requireNamespace: false,
  });
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

describe('compaction', () => {
  it('looks at no type of which the partition holds nothing', async () => {
    const { schema, store, type } = await setUp();
    const many = Array.from({ length: 2_000 }, (_, i) => ({ group: 'many', resource: `r${i}` }));
    await store.registerTypes(many);
    const [first, second] = [await create(store, type, 'a'), await create(store, type, 'b')];
    const session = await server.session(schema);
    const { rows } = await session.query(`SELECT 'change_0_pkey'::regclass::oid AS oid`);
    await session.query('BEGIN');
    await session.query('SELECT drop_history_partition(0, 50)');
    const { rows: counted } = await session.query('SELECT pg_stat_get_xact_numscans($1)::int AS scans', [rows[0].oid]);
    await session.query('COMMIT');
    // The first type, its last change, and that there is no other.
    expect(counted[0].scans).toBeGreaterThan(0);
    expect(counted[0].scans).toBeLessThan(10);
    expect((await store.heads([type])).get(type)).toMatchObject({ floor: second });
    expect(first).toBeLessThan(second);
  });

  it('closes a partition a minute while there are changes, and drops those past retention', async () => {
    const { store, type } = await setUp();
    const start = Date.now();
    const first = await create(store, type, 'a');
    expect(await store.compactor.runOnce(start)).toMatchObject({ ran: true, dropped: [] });
    expect((await store.compactor.runOnce(start + MINUTE / 2)).sealed).toBeUndefined();
    expect((await store.compactor.runOnce(start + MINUTE)).sealed).toBe(0n);
    const second = await create(store, type, 'b');
    expect(second).toBeGreaterThanOrEqual(10_000_000n);
    expect((await store.compactor.runOnce(start + 3 * MINUTE)).sealed).toBe(1n);
    // Nothing was written since: a quiet cluster burns no versions.
    expect((await store.compactor.runOnce(start + 5 * MINUTE)).sealed).toBeUndefined();
    expect((await store.changes(type, first - 1n, 10).catch((e: Error) => e.name)) as unknown).toHaveLength(2);
    expect((await store.compactor.runOnce(start + 6 * MINUTE)).dropped).toEqual([0n]);
    expect((await store.heads([type])).get(type)).toEqual({ floor: first, head: second });
    expect((await store.changes(type, first, 10)).map((change) => change.name)).toEqual(['b']);
    expect((await store.compactor.runOnce(start + 8 * MINUTE)).dropped).toEqual([1n]);
    expect((await store.heads([type])).get(type)).toEqual({ floor: second, head: second });
    expect(await create(store, type, 'c')).toBeGreaterThan(second);
  });

  it('has no partition a minute where history cannot be dropped for hours: each read of changes locks all that there are', async () => {
    const schema = server.freshSchema();
    const store = await openStore({ url: server.url, naming: 'orch', schema, retention: 1_000 * MINUTE });
    stores.push(store);
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const start = Date.now();
    for (let minute = 0; minute < 120; minute++) {
      await create(store, type, `o${minute}`);
      await store.compactor.runOnce(start + minute * MINUTE);
    }
    const session = await server.session(schema);
    const { rows } = await session.query(
      'SELECT count(*)::int AS n FROM history_partition WHERE sealed_at IS NOT NULL',
    );
    expect(rows[0].n).toBeGreaterThan(30);
    expect(rows[0].n).toBeLessThan(60);
  });

  it('keeps one head of each type', async () => {
    const { schema, store, type } = await setUp();
    let last = 0n;
    for (let i = 0; i < 5; i++) last = await create(store, type, `o${i}`);
    const session = await server.session(schema);
    const heads = async () => (await session.query('SELECT version FROM head WHERE type = $1', [type])).rows;
    expect((await heads()).length).toBeGreaterThan(1);
    await store.compactor.runOnce();
    expect(await heads()).toEqual([{ version: String(last) }]);
    expect((await store.heads([type])).get(type)?.head).toBe(last);
  });

  it('is done by one process at a time', async () => {
    const { schema, store } = await setUp();
    const others = [await open(schema), await open(schema)];
    const blocker = await server.session(schema);
    await blocker.query('BEGIN; LOCK TABLE history_partition');
    const rounds = [store, ...others].map((one) => one.compactor.runOnce());
    // The one that got through is held up by the blocker; two come back without having waited.
    const first = await Promise.any(rounds);
    const losers = await Promise.any(
      rounds.map(async (_, i) => (await Promise.all(rounds.filter((_, j) => j !== i))).map((round) => round.ran)),
    );
    await blocker.query('COMMIT');
    expect(first.ran).toBe(false);
    expect(losers).toEqual([false, false]);
    const ran = (await Promise.all(rounds)).filter((round) => round.ran);
    expect(ran).toHaveLength(1);
  });

  it('waits for a long read of history without holding up writers, and the read stays whole', async () => {
    const { schema, store, type } = await setUp();
    // More than the sockets between hold, so that the read is still under way while it is not being read.
    const large = Buffer.alloc(1 << 20, 'x');
    await Promise.all(Array.from({ length: 60 }, (_, i) => create(store, type, `o${i}`, large)));
    const { head: at } = (await store.heads([type])).get(type) ?? { head: 0n };
    await create(store, type, 'later');
    const start = Date.now();
    await store.compactor.runOnce(start);
    await store.compactor.runOnce(start + MINUTE);
    await create(store, type, 'much later');
    const reading = await store.snapshot({ type, at });
    const names: string[] = [];
    let worst = 0;
    let round: Awaited<ReturnType<typeof store.compactor.runOnce>> | undefined;
    for await (const page of reading.pages) {
      names.push(...page.map((row) => row.name));
      if (round) continue;
      const other = await open(schema);
      let done = false;
      const compacting = other.compactor.runOnce(start + 20 * MINUTE).finally(() => {
        done = true;
      });
      for (let i = 0; !done; i++) {
        const begin = performance.now();
        await create(store, type, `during${i}`);
        worst = Math.max(worst, performance.now() - begin);
      }
      round = await compacting;
    }
    expect(names).toHaveLength(60);
    expect(round).toMatchObject({ ran: true, dropped: [], busy: expect.any(Number) });
    expect(round?.busy).toBeGreaterThan(0);
    expect(worst).toBeLessThan(2_000);
    expect((await store.compactor.runOnce(start + 20 * MINUTE)).dropped).toContain(0n);
    await expect(store.snapshot({ type, at })).rejects.toMatchObject({ name: 'HistoryExpiredError' });
  });

  it('runs in rounds between start and stop', async () => {
    const schema = server.freshSchema();
    const store = await openStore({
      url: server.url,
      naming: 'orch',
      schema,
      compactionInterval: 5,
      partitionInterval: 0,
      retention: 0,
    });
    stores.push(store);
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const version = await create(store, type, 'a');
    store.compactor.start();
    const floor = async () => (await store.heads([type])).get(type)?.floor ?? 0n;
    while ((await floor()) < version) await store.ping();
    await store.compactor.stop();
    expect(await floor()).toBe(version);
  });

  it('writes find a partition even when nobody ever compacted', async () => {
    const { schema, store, type } = await setUp();
    await (await server.session(schema)).query(`SELECT setval('resource_version', 990000000)`);
    expect(await create(store, type, 'far')).toBeGreaterThan(990_000_000n);
  });

  it('closes no partition while somebody moves the versions on', async () => {
    const schema = server.freshSchema();
    const store = await openStore({ url: server.url, naming: 'orch', schema, lockTimeout: 100 });
    stores.push(store);
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const start = Date.now();
    await create(store, type, 'a');
    await store.compactor.runOnce(start);
    const resuming = await server.session(schema);
    await resuming.query('BEGIN; SELECT FROM installation FOR UPDATE');
    await expect(store.compactor.runOnce(start + MINUTE)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    expect(await store.lastVersion()).toBeLessThan(10_000_000n);
    await resuming.query('COMMIT');
    expect((await store.compactor.runOnce(start + MINUTE)).sealed).toBe(0n);
  });

  it('removes heads that are none any more, also where there are more than it takes at a time', async () => {
    const { schema, store, type } = await setUp();
    const [other = 0] = await store.registerTypes([{ group: '', resource: 'others' }]);
    for (let i = 0; i < 6; i++) for (const each of [type, other]) await create(store, each, `${i}`);
    const heads = await store.heads([type, other]);
    const session = await server.session(schema);
    const left = async () => Number((await session.query('SELECT count(*) AS n FROM head')).rows[0].n);
    const lengths = [await left()];
    for (let round = 0; round < 4; round++) {
      await session.query('SELECT trim_heads(5)');
      lengths.push(await left());
    }
    // What is left are the heads.
    expect(lengths).toEqual([14, 9, 4, 2, 2]);
    expect(await store.heads([type, other])).toEqual(heads);
    await create(store, type, 'later');
    await store.compactor.runOnce();
    expect(await left()).toBe(2);
  });

  /** Four partitions with a change each, of which the first three are due at the time that is returned. */
  async function setUpPartitions(options: Partial<StoreOptions> = {}) {
    const schema = server.freshSchema();
    const store = await openStore({ url: server.url, naming: 'orch', schema, ...options });
    stores.push(store);
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const start = Date.now();
    for (let minute = 0; minute < 4; minute++) {
      await create(store, type, `o${minute}`);
      await store.compactor.runOnce(start + minute * MINUTE);
    }
    return { schema, store, type, due: start + 9 * MINUTE, start };
  }

  it('tells where history begins and ends', async () => {
    const { store, type, start } = await setUpPartitions();
    const last = await create(store, type, 'last');
    const later = start + 3 * MINUTE + 1;
    const { bounds } = await store.compactor.runOnce(later);
    expect(bounds).toEqual({ newest: last, end: 60_000_000n, oldestOpened: start, newestOpened: start + 3 * MINUTE });
    // Five minutes after the first two were left behind, and the last one is closed.
    const { bounds: moved } = await store.compactor.runOnce(start + 7 * MINUTE);
    expect(moved).toMatchObject({ newest: 40_000_000n, end: 70_000_000n, oldestOpened: start + 2 * MINUTE });
    expect((await store.compactor.runOnce(start + 8 * MINUTE)).bounds?.newestOpened).toBe(start + 7 * MINUTE);
  });

  it('drops the others where one cannot be dropped, and says why, until it can', async () => {
    const { schema, store, due } = await setUpPartitions();
    const session = await server.session(schema);
    await session.query('CREATE VIEW report AS SELECT version FROM change_0');
    const heard: CompactionRound[] = [];
    store.compactor.onRound((round) => heard.push(round));
    const round = await store.compactor.runOnce(due);
    expect(round).toMatchObject({ ran: true, dropped: [1n, 2n], busy: 0 });
    expect(round.left).toEqual([
      { number: 0n, attempts: 1, locked: false, reason: expect.stringContaining('other objects depend on it') },
    ]);
    expect(round.left[0]?.reason).toContain('view report depends on table change_0');
    expect(heard).toEqual([round]);
    // Nine minutes after it was opened, eight after it was closed, with five that are kept.
    expect(round.overdue / MINUTE).toBeCloseTo(3, 1);
    expect((await store.compactor.runOnce(due)).left).toMatchObject([{ number: 0n, attempts: 2 }]);
    await session.query('DROP VIEW report');
    expect(await store.compactor.runOnce(due)).toMatchObject({ dropped: [0n], left: [], overdue: 0 });
  });

  it('drops the others where somebody holds a few of them for ever', async () => {
    const { schema, store, type, start, due } = await setUpPartitions();
    await create(store, type, 'later');
    const holder = await server.session(schema);
    await holder.query('BEGIN; LOCK TABLE ONLY change_0, ONLY change_1 IN ACCESS SHARE MODE');
    await store.compactor.runOnce(due);
    const round = await store.compactor.runOnce(due);
    expect(round.dropped).toEqual([2n]);
    expect(round).toMatchObject({
      busy: 2,
      left: [
        { number: 0n, locked: true },
        { number: 1n, locked: true },
      ],
    });
    expect((await store.compactor.runOnce(start + 20 * MINUTE)).dropped).toEqual([3n]);
    await holder.query('COMMIT');
    expect((await store.compactor.runOnce(start + 20 * MINUTE)).dropped).toEqual([0n, 1n]);
  });

  it('closes partitions as often as before beside one that stands for days', async () => {
    const { schema, store, type, start, due } = await setUpPartitions();
    await (await server.session(schema)).query('CREATE VIEW report AS SELECT version FROM change_0');
    await store.compactor.runOnce(due);
    const later = start + 3 * 24 * 60 * MINUTE;
    await create(store, type, 'later');
    await store.compactor.runOnce(later);
    await create(store, type, 'much later');
    // A fifteenth of three days otherwise.
    expect((await store.compactor.runOnce(later + MINUTE)).sealed).toBe(4n);
  });

  it('drops what is due though none can be closed, and fails all the same', async () => {
    const { schema, store, type, start } = await setUpPartitions({ lockTimeout: 100 });
    await create(store, type, 'later');
    const resuming = await server.session(schema);
    await resuming.query('BEGIN; SELECT FROM installation FOR UPDATE');
    const heard: CompactionRound[] = [];
    store.compactor.onRound((round) => heard.push(round));
    await expect(store.compactor.runOnce(start + 30 * MINUTE)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    expect(heard).toMatchObject([{ dropped: [0n, 1n, 2n] }]);
    // What lies in the last one, opened after three minutes, was to be closed a minute later and dropped after another five.
    expect((heard[0]?.overdue ?? 0) / MINUTE).toBeCloseTo(21, 1);
    await resuming.query('COMMIT');
  });

  it('leaves no partition behind before there is one to go on in, so that writes go on', async () => {
    const { schema, store, type, start } = await setUpPartitions();
    const session = await server.session(schema);
    await session.query('ALTER FUNCTION create_history_partition(bigint, bigint) RENAME TO gone');
    for (let minute = 5; minute < 12; minute++) {
      await create(store, type, `later-${minute}`);
      await expect(store.compactor.runOnce(start + minute * MINUTE)).rejects.toThrow('create_history_partition');
    }
    await create(store, type, 'last');
    await session.query('ALTER FUNCTION gone(bigint, bigint) RENAME TO create_history_partition');
    expect((await store.compactor.runOnce(start + 12 * MINUTE)).sealed).toBeDefined();
    await create(store, type, 'further');
  });
});
