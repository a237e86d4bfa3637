import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TypeId, Version } from '../face/key.js';
import type { StoreOptions } from '../face/options.js';
import type { WriteOutcome } from '../face/store.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { gateOf } from './write-batch.js';

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
  // Nothing here is meant to be given up, unless a test says so.
  const patient = { lockTimeout: 30_000, statementTimeout: 40_000, answerTimeout: 50_000 };
  const store = await openStore({ url: server.url, naming: 'orch', schema, ...patient, ...options });
  stores.push(store);
  looker = await server.session(schema);
  return store;
}

async function typesIn(store: PostgresStore, count = 1): Promise<readonly TypeId[]> {
  return store.registerTypes(Array.from({ length: count }, (_, i) => ({ group: '', resource: `things${i}` })));
}

const body = Buffer.from('{}');

const creation = (type: TypeId, name: string) =>
  ({ op: 'create', type, namespace: '', name, uid: 'u', body, requireNamespace: false }) as const;

function create(store: PostgresStore, type: TypeId, name: string): Promise<WriteOutcome> {
  return store.write(creation(type, name));
}

/** A write of another process that is not committed yet. */
async function writeInFlight(type: TypeId, name = 'in-flight') {
  const other = await server.session(schema);
  await other.query('BEGIN');
  const { rows } = await other.query(
    `SELECT o_version FROM commit_writes(NULL, $1, '{}', 0, '{1}', '{1}', '{""}', ARRAY[$2], '{u}', '{0}', '{""}', '{}', '{x}', '{}', '{1}')`,
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

/** Of this schema, by anybody. */
async function lanesHeld(): Promise<number> {
  const { rows } = await looker.query(
    `SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 'lane'::regclass`,
  );
  return rows[0].held;
}

function versionOf(outcome: WriteOutcome): Version {
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

describe('a lane that somebody holds', () => {
  it('are all held by one lock where there are ten thousand, as history that is resumed wants it', async () => {
    const store = await open();
    await typesIn(store, 10_000);
    await looker.query('BEGIN; SELECT lock_lanes()');
    expect(await lanesHeld()).toBe(1);
    await looker.query('ROLLBACK');
  });

  it('holds up whoever takes all, and is held up by them', async () => {
    const store = await open();
    const [type = 0] = await typesIn(store);
    const other = await writeInFlight(type);
    const all = await server.session(schema);
    await all.query('BEGIN');
    const taken = all.query('SELECT lock_lanes()');
    await expect.poll(() => waiting(0), { timeout: 30_000 }).toBe(1);
    await other.commit();
    await taken;
    const [write, look] = [create(store, type, 'a'), store.settledHead(type, other.version + 1n)];
    await expect.poll(() => waiting(0), { timeout: 30_000 }).toBe(2);
    await all.query('COMMIT');
    expect(versionOf(await write)).toBeGreaterThan(other.version);
    expect((await look).head).toBeGreaterThanOrEqual(other.version);
  });

  it('may be held by a batch of before the migration for some minutes: each is taken then', async () => {
    const store = await open();
    const types = await typesIn(store, 3);
    await looker.query("UPDATE schema_migration SET applied_at = applied_at - interval '1 day' WHERE number < 9");
    const held = async (age: string) => {
      await looker.query(
        `UPDATE schema_migration SET applied_at = clock_timestamp() - interval '${age}' WHERE number = 9`,
      );
      await looker.query('BEGIN; SELECT lock_lanes()');
      const count = await lanesHeld();
      await looker.query('ROLLBACK');
      return count;
    };
    expect(await held('1 minute')).toBe(1 + types.length);
    // A clock that was put back says nothing.
    expect(await held('-1 hour')).toBe(1 + types.length);
    expect(await held('11 minutes')).toBe(1);
  });

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

describe('a lane that somebody holds holds up its type only', () => {
  it('in one process: what needs it waits in order, what does not goes on', async () => {
    const store = await open();
    const [held = 0, free = 0, third = 0] = await typesIn(store, 3);
    const other = await writeInFlight(held);
    const waits = ['a', 'b', 'c'].map((name) => create(store, held, name));
    const set = store.writeSet([held, free].map((type) => creation(type, 'together')));
    await expect.poll(() => waiting(held), { timeout: 10_000 }).toBe(1);
    for (let i = 0; i < 20; i++) versionOf(await create(store, third, `${i}`));
    await other.commit();
    const versions = (await Promise.all(waits)).map(versionOf);
    expect([...versions].sort((a, b) => (a < b ? -1 : 1))).toEqual(versions);
    expect(await set).toMatchObject({ outcome: 'committed' });
    expect(versions[0]).toBeGreaterThan(other.version);
  });

  it('also where a batch of several types meets it', async () => {
    const store = await open();
    const [held = 0, free = 0] = await typesIn(store, 2);
    const other = await writeInFlight(held);
    const [waits, goes] = [create(store, held, 'a'), create(store, free, 'a')];
    versionOf(await goes);
    await expect.poll(() => waiting(held), { timeout: 10_000 }).toBe(1);
    await other.commit();
    expect(versionOf(await waits)).toBeGreaterThan(other.version);
  });

  it('for as long as one is waited for, however many somebody holds', async () => {
    const store = await open({ lanePatience: 700, statementTimeout: 2_500, lockTimeout: 30_000 });
    const types = await typesIn(store, 7);
    const [free = 0, ...held] = [types[6], ...types.slice(0, 6)];
    const others = await Promise.all(held.map((type = 0) => writeInFlight(type)));
    const waits = held.map((type = 0) => create(store, type, 'a').catch((error: Error) => error.name));
    versionOf(await create(store, free, 'a'));
    await Promise.all(others.map(({ commit }) => commit()));
    await Promise.all(waits);
  });

  it('also when many are held at a time, each by somebody else', async () => {
    const store = await open();
    const types = await typesIn(store, 8);
    const others = await Promise.all(types.map((type = 0) => writeInFlight(type)));
    const waits = types.map((type = 0) => create(store, type, 'a'));
    const settled = types.map((type = 0, i) => store.settledHead(type, (others[i]?.version ?? 0n) + 1n));
    const ended = [waits, settled].map((all) => Promise.race(all.slice(0, -1).map((each) => each.then(() => 'early'))));
    await expect.poll(() => waiting(types.at(-1) ?? 0), { timeout: 30_000 }).toBe(2);
    await others.at(-1)?.commit();
    const last = Promise.all([waits.at(-1), settled.at(-1)]).then(() => 'free');
    expect(await Promise.race([last, ...ended])).toBe('free');
    await Promise.all(others.slice(0, -1).map(({ commit }) => commit()));
    await Promise.all([...waits, ...settled]);
    const lane = () => store.pools().find(([name]) => name === 'lane')?.[1];
    await expect.poll(lane).toEqual({ open: 1, idle: 1, waiting: 0 });
  });

  it('and so does the gate of a namespace', async () => {
    const store = await open();
    const [namespaces = 0, type = 0, other = 0] = await typesIn(store, 3);
    store.setNamespaceType(namespaces);
    versionOf(await create(store, namespaces, 'closing'));
    const closer = await server.session(schema);
    await closer.query('BEGIN');
    await closer.query('SELECT pg_advisory_xact_lock(1719283745, $1)', [String(gateOf('closing'))]);
    const waits = store.write({ ...creation(type, 'a'), namespace: 'closing', requireNamespace: true });
    versionOf(await create(store, other, 'b'));
    versionOf(await create(store, other, 'c'));
    await closer.query('COMMIT');
    versionOf(await waits);
  });

  it('and starves nobody while several processes use it all the time', async () => {
    const [busy, lone] = [await open(), await open()];
    const [type = 0] = await typesIn(busy);
    let done = false;
    const load = Promise.all(
      Array.from({ length: 16 }, async (_, i) => {
        for (let n = 0; !done; n++) versionOf(await create(busy, type, `busy-${i}-${n}`));
      }),
    );
    for (let n = 0; n < 50; n++) versionOf(await create(lone, type, `lone-${n}`));
    done = true;
    await load;
    const { floor } = (await lone.heads([type])).get(type) ?? { floor: 0n };
    const changes = await lone.changes(type, floor, 100_000);
    expect(changes.map(({ previous }) => previous)).toEqual([floor, ...changes.slice(0, -1).map((c) => c.version)]);
  });
});

describe('a set', () => {
  it('requires namespaces like a single creation', async () => {
    const store = await open();
    const [namespaces = 0, type = 0, other = 0] = await typesIn(store, 3);
    store.setNamespaceType(namespaces);
    const version = versionOf(await create(store, namespaces, 'there'));
    const within = (namespace: string) => [
      creation(other, namespace),
      { ...creation(type, 'a'), namespace, requireNamespace: true },
    ];
    const refused = (outcome: string) => ({ outcome: 'refused', item: 1, refusal: { outcome } });
    expect(await store.writeSet(within('nowhere'))).toEqual(refused('namespace-not-found'));
    expect(await store.writeSet(within('there'))).toMatchObject({ outcome: 'committed' });
    const ending = { type: namespaces, namespace: '', name: 'there', version, body, terminating: true } as const;
    const [, late] = await Promise.all([
      store.write({ op: 'update', ...ending }),
      store.writeSet(within('there').map((op) => ({ ...op, name: 'late' }))),
    ]);
    expect(late).toEqual(refused('namespace-terminating'));
    expect(await store.get(other, { namespace: '', name: 'late' })).toBeUndefined();
  });
});

describe('a set that ends a namespace', () => {
  it('cannot require it afterwards: nothing of it is carried out', async () => {
    const store = await open();
    const [namespaces = 0, type = 0] = await typesIn(store, 2);
    store.setNamespaceType(namespaces);
    const version = versionOf(await create(store, namespaces, 'there'));
    const there = { type: namespaces, namespace: '', name: 'there', version, body } as const;
    const within = { ...creation(type, 'a'), namespace: 'there', requireNamespace: true };
    const endings = [
      { op: 'delete', ...there },
      { op: 'update', ...there, terminating: true },
    ] as const;
    for (const ending of endings) {
      await expect(store.writeSet([ending, within])).rejects.toBeInstanceOf(TypeError);
      expect((await store.get(namespaces, there))?.version).toBe(version);
    }
    expect(await store.writeSet([within, endings[1]])).toMatchObject({ outcome: 'committed' });
  });
});

describe('a version that nobody can have read', () => {
  it('is refused, and not taken for that of the write before it', async () => {
    const store = await open();
    const [type = 0] = await typesIn(store);
    const version = versionOf(await create(store, type, 'a'));
    const update = (expected: Version) =>
      ({ op: 'update', type, namespace: '', name: 'a', version: expected, body, terminating: false }) as const;
    const both = [store.write(update(version)), store.write(update(-1n))];
    const [first, second] = await Promise.allSettled(both);
    expect(first).toMatchObject({ value: { outcome: 'committed' } });
    expect(second).toMatchObject({ reason: expect.any(TypeError) });
    await expect(store.writeSet([update(2n ** 63n)])).rejects.toBeInstanceOf(TypeError);
  });
});

describe('a settled head', () => {
  it('waits out a write in flight', async () => {
    const store = await open();
    const [type = 0] = await typesIn(store);
    const other = await writeInFlight(type);
    const settled = store.settledHead(type, other.version);
    await expect.poll(() => waiting(type), { timeout: 10_000 }).toBe(1);
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
    await expect.poll(() => waiting(type), { timeout: 10_000 }).toBe(1);
    settled.push(...Array.from({ length: 20 }, () => store.settledHead(type, other.version)));
    await Promise.all(Array.from({ length: 20 }, () => store.heads([type])));
    expect(await waiting(type)).toBe(1);
    await other.commit();
    expect((await Promise.all(settled)).every(({ head }) => head === other.version)).toBe(true);
  });

  it('overtakes no writer that waits already, also while others look', async () => {
    // Without patience: a writer that is seen to wait is not about to give up and come again.
    const [writer, reader] = [await open({ lanePatience: 0 }), await open()];
    const [type = 0] = await typesIn(writer);
    const ahead = versionOf(await create(writer, type, 'a')) + 1000n;
    // Somebody who looks as long as the test wants.
    const looking = await server.session(schema);
    await looking.query('BEGIN');
    await looking.query('SELECT await_lane($1)', [type]);
    const writing = create(writer, type, 'b');
    await expect.poll(() => waiting(type), { timeout: 10_000 }).toBe(1);
    const settled = reader.settledHead(type, ahead);
    await expect.poll(() => waiting(type), { timeout: 10_000 }).toBe(2);
    await looking.query('COMMIT');
    expect((await settled).head).toBe(versionOf(await writing));
  });
});
