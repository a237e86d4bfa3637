import { execFileSync } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HistoryExpiredError, StoreUnavailableError } from '../face/errors.js';
import type { TypeId, Version } from '../face/key.js';
import type { StoreOptions } from '../face/options.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

let server: TestServer;
let schema: string;
const stores: PostgresStore[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(() => {
  schema = server.freshSchema();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});
afterAll(() => server.dispose());

async function open(options: Partial<StoreOptions> = {}): Promise<PostgresStore> {
  const store = await openStore({ url: server.url, naming: 'orch', schema, ...options });
  stores.push(store);
  return store;
}

async function typeIn(store: PostgresStore): Promise<TypeId> {
  const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  return type;
}

async function create(store: PostgresStore, type: TypeId, name: string): Promise<Version> {
  const outcome = await store.write({
    op: 'create',
    type,
    namespace: '',
    name,
    uid: 'u',
    body: Buffer.from('{}'),
    requireNamespace: false,
  });
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

/** Tries until it works: how long a client with retries would be without service. */
async function until<T>(work: () => Promise<T>, milliseconds: number): Promise<T> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || performance.now() > deadline) throw error;
    }
  }
}

describe('when the database fails', () => {
  it('restarts: refuses in bounded time, then goes on by itself with everything it had', async () => {
    const store = await open({ acquireTimeout: 300 });
    const type = await typeIn(store);
    const version = await create(store, type, 'before');
    await server.stop();
    const start = performance.now();
    await expect(create(store, type, 'down')).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(store.get(type, { namespace: '', name: 'before' })).rejects.toMatchObject({ undecided: false });
    await expect(store.snapshot({ type })).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(performance.now() - start).toBeLessThan(20_000);
    await server.start();
    expect(await until(() => create(store, type, 'after'), 10_000)).toBeGreaterThan(version);
    const before = await until(() => store.get(type, { namespace: '', name: 'before' }), 10_000);
    expect(before?.version).toBe(version);
  });

  it('is away: many requests wait no longer than one, and not for each other', async () => {
    const acquireTimeout = 1_000;
    const store = await open({ acquireTimeout, batchItems: 10 });
    const type = await typeIn(store);
    await create(store, type, 'before');
    await server.stop();
    const requests = Array.from({ length: 1_000 }, (_, i) => [
      store.get(type, { namespace: '', name: `o${i}` }),
      create(store, type, `o${i}`),
    ]).flat();
    const start = performance.now();
    const outcomes = await Promise.allSettled(requests);
    // Ten batches of reads, and a hundred of writes.
    expect(performance.now() - start).toBeLessThan(9.5 * acquireTimeout);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected' });
    // Of what was never sent nobody is told that it may have happened: at most the first batch had a connection.
    const undecided = outcomes.filter((each) => each.status === 'rejected' && each.reason.undecided);
    expect(undecided.length).toBeLessThanOrEqual(10);
    await server.start();
    await until(() => create(store, type, 'after'), 10_000);
  });

  it('hangs: a write is given up undecided, others are not held up for ever', async () => {
    const store = await open({ answerTimeout: 400, acquireTimeout: 300, connectTimeout: 300, readConnections: 1 });
    const type = await typeIn(store);
    await create(store, type, 'warm');
    await store.heads([type]);
    const { rows } = await (await server.session(schema)).query(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'cluster-store'`,
    );
    for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
    try {
      await expect(create(store, type, 'stuck')).rejects.toMatchObject({
        name: 'StoreUnavailableError',
        undecided: true,
      });
      await expect(store.heads([type])).rejects.toBeInstanceOf(StoreUnavailableError);
    } finally {
      for (const { pid } of rows) process.kill(pid, 'SIGCONT');
    }
    await until(() => create(store, type, 'free'), 5000);
  });

  it('leaves no session of ours holding a transaction open', async () => {
    const store = await open({ statementTimeout: 300 });
    await store.ping();
    const { rows } = await (await server.session(schema)).query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'cluster-store' AND state LIKE 'idle in transaction%'`,
    );
    expect(rows[0].n).toBe(0);
  });

  it('an item that cannot be stored fails alone', async () => {
    const store = await open();
    const type = await typeIn(store);
    await (await server.session(schema)).query(`
      CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'poison'; END $$;
      CREATE TRIGGER poison BEFORE INSERT ON object FOR EACH ROW WHEN (NEW.name = 'bad') EXECUTE FUNCTION poison()`);
    const results = await Promise.allSettled(['a', 'bad', 'b'].map((name) => create(store, type, name)));
    expect(results.map((r) => r.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await store.get(type, { namespace: '', name: 'b' }))?.uid).toBe('u');
  });

  it('finds the host that accepts writes among several, and refuses a read-only one', async () => {
    const sockets =
      new URL(server.url.replace('postgres:', 'http:').replace('@/', '@x/')).searchParams.get('host') ?? '';
    const withHosts = server.url.replace(/host=.*$/, `host=127.0.0.1,${encodeURIComponent(sockets)}&port=1,5432`);
    const store = await open({ url: withHosts });
    await store.ping();
    const session = await server.session(schema);
    await session.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
    await expect(open({ openTimeout: 200 })).rejects.toThrow(/read-only/);
    await session.query('ALTER DATABASE postgres RESET default_transaction_read_only');
    await open();
  });

  it('says at once that a password is wrong', async () => {
    const start = performance.now();
    await expect(open({ url: server.url.replace(/:[0-9a-f]{48}@/, ':wrong@') })).rejects.toThrow(/password/);
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});

describe('when the database went back in time (invariant 10)', () => {
  /** Runs `work`, then puts the data directory back to where it was before. */
  async function rewindAfter(work: () => Promise<void>): Promise<void> {
    const data = join(server.dataDir, 'data');
    await server.stop();
    await cp(data, `${data}.backup`, { recursive: true, preserveTimestamps: true });
    await server.start();
    await work();
    await server.stop();
    await rm(data, { recursive: true });
    await cp(`${data}.backup`, data, { recursive: true, preserveTimestamps: true });
    if (process.getuid?.() === 0) {
      execFileSync('chown', ['-R', '--reference', server.dataDir, data]);
    }
    await server.start();
  }

  it('notices, begins an epoch that reuses no version, and ends everything older', async () => {
    const [writer, follower] = [await open(), await open()];
    const type = await typeIn(writer);
    const [silent = 0] = await writer.registerTypes([{ group: '', resource: 'silent' }]);
    const kept = await create(writer, type, 'kept');
    let announced = 0n;
    const rewound = { writer: 0, follower: 0 };
    writer.onRewind(() => rewound.writer++);
    follower.onRewind(() => rewound.follower++);
    await rewindAfter(async () => {
      await until(() => create(writer, type, 'lost'), 5000);
      announced = await create(writer, type, 'lost too');
      await until(() => follower.heads([type]), 5000);
      expect(rewound).toEqual({ writer: 0, follower: 0 });
    });
    const version = await until(() => create(writer, type, 'new'), 10_000);
    expect(version).toBeGreaterThan(announced + 1_000_000n);
    const { head, floor } = (await until(() => follower.heads([type]), 10_000)).get(type) ?? { head: 0n, floor: 0n };
    expect(rewound).toEqual({ writer: 1, follower: 1 });
    expect(head).toBe(version);
    for (const old of [kept, announced]) {
      expect(old).toBeLessThan(floor);
      await expect(writer.changes(type, old, 10)).rejects.toBeInstanceOf(HistoryExpiredError);
      await expect(writer.snapshot({ type, at: old })).rejects.toBeInstanceOf(HistoryExpiredError);
    }
    expect((await writer.changes(type, floor, 10)).map((change) => change.name)).toEqual(['new']);
    expect((await writer.heads([silent])).get(silent)?.floor).toBeGreaterThan(announced);
    // Once is enough: nobody begins another epoch over it.
    const epoch = writer.epoch;
    const late = await open();
    await late.ping();
    expect([late.epoch, follower.epoch, rewound]).toEqual([epoch, epoch, { writer: 1, follower: 1 }]);
  });

  it('a process that only heard of a version notices too', async () => {
    const store = await open();
    const type = await typeIn(store);
    const { head } = (await store.heads([type])).get(type) ?? { head: 0n };
    let rewound = 0;
    store.onRewind(() => rewound++);
    store.noteAnnounced(type, head + 50n);
    const after = (await store.heads([type])).get(type);
    expect(rewound).toBe(1);
    expect(after?.floor).toBeGreaterThan(head + 50n);
  });

  it('never draws a version again that only others had seen before a failover, and tells them when they find out', async () => {
    const [loser, other] = [await open(), await open()];
    const type = await typeIn(loser);
    const [busy = 0] = await loser.registerTypes([{ group: '', resource: 'busy' }]);
    const kept = await create(loser, type, 'kept');
    // What is lost may have been drawn before versions of other types that are kept: lanes commit as they come.
    const before = await server.session(schema);
    await before.query(`SELECT setval('resource_version', 1000)`);
    await create(loser, busy, 'later');
    await before.query(`SELECT setval('resource_version', $1)`, [String(kept)]);
    await other.heads([type]);
    let rewound = 0;
    other.onRewind(() => rewound++);
    let lost = 0n;
    await rewindAfter(async () => {
      lost = await until(() => create(loser, type, 'lost'), 5000);
      await loser.close();
    });
    const session = await server.session(schema);
    await session.query(`UPDATE installation SET timeline = '000000FF'`);

    const fresh = await until(() => create(other, type, 'new'), 10_000);
    expect(fresh).toBeGreaterThan(lost + 1_000_000n);
    // As after a failover that lost nothing: what is common goes on, and what is not is known by its version.
    expect((await other.changes(type, kept, 10)).map(({ name }) => name)).toEqual(['new']);
    expect([kept, lost, fresh].map((version) => other.isLost(type, version))).toEqual([false, true, false]);
    await expect(other.changes(type, lost, 10)).rejects.toBeInstanceOf(HistoryExpiredError);
    await expect(other.snapshot({ type, at: lost })).rejects.toBeInstanceOf(HistoryExpiredError);
    expect(rewound).toBe(0);

    // The head is beyond what was lost by now, and all the same it is noticed when somebody comes who had seen it.
    const witness = await open();
    await witness.ping();
    witness.noteAnnounced(type, lost);
    const { floor } = (await witness.heads([type])).get(type) ?? { floor: 0n };
    expect(floor).toBeGreaterThan(fresh);
    await other.heads([type]);
    expect(rewound).toBe(1);

    // Once is enough, also for who hears of what was lost only then.
    const late = await open();
    late.noteAnnounced(type, lost);
    await late.heads([type]);
    expect(late.epoch).toBe(other.epoch);
  });

  it('a process that hears of what was lost only after others went on notices too', async () => {
    const store = await open();
    const type = await typeIn(store);
    const kept = await create(store, type, 'kept');
    const session = await server.session(schema);
    await session.query(`UPDATE installation SET timeline = '000000FF'`);
    await session.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cluster-store'`,
    );
    const fresh = await until(() => create(store, type, 'new'), 5000);
    let rewound = 0;
    store.onRewind(() => rewound++);
    store.noteAnnounced(type, kept + 5n);
    const { floor } = (await store.heads([type])).get(type) ?? { floor: 0n };
    expect([rewound, floor > fresh]).toEqual([1, true]);
  });

  it('on another timeline whoever comes first leaves behind what may have been lost, whether it knew the heads or not', async () => {
    const first = await open();
    const type = await typeIn(first);
    const before = await create(first, type, 'a');
    const session = await server.session(schema);
    await session.query(`UPDATE installation SET timeline = '000000FF'`);
    // As after a failover that lost nothing: sessions are cut, a process that knows the heads reconnects first.
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cluster-store'`;
    await session.query(cut);
    await until(() => first.ping(), 5000);
    const { rows } = await session.query('SELECT epoch, timeline FROM installation');
    expect(rows[0]).toEqual({ epoch: '1', timeline: '00000001' });
    const between = await until(() => create(first, type, 'b'), 5000);
    await session.query(`UPDATE installation SET timeline = '000000FF'`);
    const fresh = await open();
    await fresh.ping();
    expect(fresh.epoch).toBe(1n);
    expect([before, before + 1n, between, between + 1n].map((version) => fresh.isLost(type, version))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
});
