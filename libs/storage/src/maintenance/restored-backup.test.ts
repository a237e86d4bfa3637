import { execFileSync } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseConnection } from '../connections/connection.js';
import { type DatabaseHost, parseDatabaseUrl } from '../connections/connection-url.js';
import { HistoryExpiredError } from '../face/errors.js';
import type { TypeId, Version } from '../face/key.js';
import { completeOptions } from '../face/options.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { ensurePartitions, PARTITION_WIDTH } from '../reads/history.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { RegisteredTypes } from '../writes/registered-types.js';
import { migrate, shippedMigrations } from './migrate.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** What a busy installation draws, and leaves out when it closes a partition a minute. */
const VERSIONS_A_SECOND = 170_000;

let server: TestServer;
let schema: string;
const stores: PostgresStore[] = [];
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(() => {
  schema = server.freshSchema();
});
afterEach(() => closeAll());
afterAll(() => server.dispose());

async function open(): Promise<PostgresStore> {
  const store = await openStore({ url: server.url, naming: 'orch', schema });
  stores.push(store);
  return store;
}

async function closeAll(): Promise<void> {
  await Promise.all(stores.splice(0).map((store) => store.close()));
}

async function typeIn(store: PostgresStore, resource = 'things'): Promise<TypeId> {
  const [type = 0] = await store.registerTypes([{ group: '', resource }]);
  return type;
}

async function create(store: PostgresStore, type: TypeId, name: string): Promise<Version> {
  const body = Buffer.from(name);
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

/** On a session of its own, which ends with it. */
async function sql(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  const session = await server.session(schema);
  try {
    return (await session.query(text, [...values])).rows;
  } finally {
    await session.end();
  }
}

/** Lets as many seconds pass since everything that the database noted. */
async function age(seconds: number): Promise<void> {
  await sql('UPDATE heartbeat SET at = at - make_interval(secs => $1), origin = origin - make_interval(secs => $1)', [
    seconds,
  ]);
}

/**
 * Copies the data, has `work` go on with them, and puts them back as they were; nobody runs at either moment but, with
 * `surviving`, the stores that `work` has opened.
 */
async function losing(work: () => Promise<void>, { surviving = false } = {}): Promise<void> {
  const data = join(server.dataDir, 'data');
  await server.stop();
  await cp(data, `${data}.backup`, { recursive: true, preserveTimestamps: true });
  await server.start();
  await work();
  if (!surviving) await closeAll();
  await server.stop();
  await rm(data, { recursive: true });
  await cp(`${data}.backup`, data, { recursive: true, preserveTimestamps: true });
  await rm(`${data}.backup`, { recursive: true });
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '--reference', server.dataDir, data]);
  await server.start();
}

async function branches(): Promise<number> {
  return Number((await sql('SELECT count(DISTINCT began) AS n FROM branch'))[0]?.n);
}

async function expectLost(store: PostgresStore, type: TypeId, version: Version): Promise<void> {
  expect(store.isLost(type, version), `${version}`).toBe(true);
  await expect(store.changes(type, version, 10)).rejects.toBeInstanceOf(HistoryExpiredError);
  await expect(store.snapshot({ type, at: version })).rejects.toBeInstanceOf(HistoryExpiredError);
}

describe('a backup that is restored while nobody runs, with the same system identifier', () => {
  it.each([
    ['an hour', HOUR],
    ['a day', DAY],
    ['60 days', 60 * DAY],
  ])(
    'of %s ago mixes no histories',
    async (_what, seconds) => {
      let store = await open();
      const type = await typeIn(store);
      const quiet = await typeIn(store, 'quiet');
      const kept = await create(store, type, 'kept');
      const lost: Version[] = [];
      await closeAll();
      await losing(async () => {
        store = await open();
        lost.push(await create(store, type, 'lost'), await create(store, quiet, 'lost'));
        // All that can have been drawn until today.
        await sql(`SELECT setval('resource_version', last_value + $1) FROM resource_version`, [
          seconds * VERSIONS_A_SECOND,
        ]);
        lost.push(await create(store, type, 'lost too'), await create(store, quiet, 'lost too'));
      });
      await age(seconds);
      store = await open();
      await store.ping();
      for (const version of lost) {
        await expectLost(store, type, version);
        await expectLost(store, quiet, version);
      }
      // What is common goes on.
      const fresh = await create(store, type, 'new');
      expect(fresh).toBeGreaterThan(lost.at(-1) ?? 0n);
      expect((await store.changes(type, kept, 10)).map(({ name }) => name)).toEqual(['new']);
      // The head has passed them all: they are lost all the same, also to those who come later.
      const late = await open();
      await late.ping();
      for (const version of lost) {
        await expectLost(store, type, version);
        await expectLost(late, type, version);
      }
      expect(late.epoch).toBe(1n);
    },
    60_000,
  );

  it('is told apart also when what was lost had been resumed itself, again and again', async () => {
    let store = await open();
    const type = await typeIn(store);
    await create(store, type, 'kept');
    let lost = 0n;
    await closeAll();
    await losing(async () => {
      for (let stop = 0; stop < 20; stop++) {
        await age(6);
        store = await open();
        lost = await create(store, type, `lost ${stop}`);
        await closeAll();
      }
    });
    await age(20 * 6 + 60);
    store = await open();
    await store.ping();
    await expectLost(store, type, lost);
  }, 60_000);
});

describe('a backup of before a type was known, restored under a server that runs', () => {
  /** A store that lives through it, and what it had registered meanwhile. */
  async function survivor(): Promise<{ store: PostgresStore; type: TypeId; written: Version }> {
    await (await open()).ping();
    await closeAll();
    let store: PostgresStore | undefined;
    let [type, written] = [0, 0n];
    await losing(
      async () => {
        store = await open();
        type = await typeIn(store, 'late');
        written = await create(store, type, 'a');
      },
      { surviving: true },
    );
    if (!store) throw new Error('nobody survived');
    return { store, type, written };
  }

  it('is told of the type under the number that it had', async () => {
    const { store, type, written } = await survivor();
    await expect.poll(() => create(store, type, 'b').catch(() => 0n), { timeout: 20_000 }).toBeGreaterThan(written);
    expect((await store.get(type, { namespace: '', name: 'b' }))?.name).toBe('b');
    expect(await store.get(type, { namespace: '', name: 'a' })).toBeUndefined();
    expect(await typeIn(await open(), 'late')).toBe(type);
  });

  it('that has numbered another since is refused by the server, which says what to do', async () => {
    const store = await open();
    const type = await typeIn(store, 'late');
    await create(store, type, 'a');
    // As the database would be, had somebody else come first.
    await sql(`UPDATE lane SET resource = 'other' WHERE resource = 'late'`);
    await age(MINUTE);
    await sql('SELECT resume_history(NULL, NULL, $1, 1000000, 5)', [String(PARTITION_WIDTH)]);
    // The call that notices is told itself; later ones get no connection, and that is why.
    const reason = (error: Error) => (error.cause instanceof Error ? error.cause : error).message;
    const writes = () => create(store, type, 'b').then(String, reason);
    await expect.poll(() => store.heads([type]).then(String, reason)).toContain('put back to before it knew late');
    await expect.poll(writes, { timeout: 20_000 }).toContain('must be started again');
  });
});

describe('a stop of three days', () => {
  it('costs nobody anything: versions of before go on', async () => {
    const first = await open();
    const type = await typeIn(first);
    const [a, b] = [await create(first, type, 'a'), await create(first, type, 'b')];
    await closeAll();
    await age(3 * DAY);
    const store = await open();
    await store.ping();
    expect([a, b].map((version) => store.isLost(type, version))).toEqual([false, false]);
    expect((await store.changes(type, a, 10)).map(({ version }) => version)).toEqual([b]);
    expect(await store.changes(type, b, 10)).toEqual([]);
    const c = await create(store, type, 'c');
    expect((await store.changes(type, a, 10)).map(({ previous, version }) => [previous, version])).toEqual([
      [a, b],
      [b, c],
    ]);
    expect(store.epoch).toBe(1n);
  });

  it('is one gap, however many come back at once, and gaps do not pile up where nothing is written', async () => {
    const first = await open();
    const type = await typeIn(first);
    await create(first, type, 'a');
    await closeAll();
    for (let stop = 1; stop <= 3; stop++) {
      await age(3 * DAY);
      const all = await Promise.all(Array.from({ length: 4 }, () => open()));
      await Promise.all(all.map((store) => store.heads([type])));
      expect(await branches()).toBe(1);
      await closeAll();
    }
  });

  it('is heard of by a process whose connections lived through it: a pooler may have kept them', async () => {
    const [living, other] = [await open(), await open()];
    const type = await typeIn(living);
    const before = await create(living, type, 'a');
    await living.heads([type]);
    await age(MINUTE);
    await sql('SELECT resume_history(NULL, NULL, $1, 1000000, 5)', [String(PARTITION_WIDTH)]);
    await create(other, type, 'b');
    await living.heads([type]);
    await expectLost(living, type, before + 1n);
    expect(living.isLost(type, before)).toBe(false);
  });

  it('of the database alone is noticed by a process that lived through it', async () => {
    const store = await open();
    const type = await typeIn(store);
    const before = await create(store, type, 'a');
    await server.stop();
    await server.start();
    await age(DAY);
    await expect.poll(() => create(store, type, 'b').catch(() => 0n), { timeout: 20_000 }).toBeGreaterThan(before);
    await expect.poll(() => store.isLost(type, before + 1n), { timeout: 20_000 }).toBe(true);
    expect(store.isLost(type, before)).toBe(false);
  });
});

describe('the heartbeat', () => {
  const beatenAt = async (): Promise<number> => {
    return Number((await sql('SELECT extract(epoch FROM at) AS at FROM heartbeat'))[0]?.at);
  };

  it('goes on while anybody runs, and is handed on', async () => {
    const [one, other] = [await open(), await open()];
    const start = await beatenAt();
    await expect.poll(beatenAt, { timeout: 20_000 }).toBeGreaterThan(start);
    await one.close();
    const then = await beatenAt();
    await expect.poll(beatenAt, { timeout: 20_000 }).toBeGreaterThan(then + 1);
    await other.close();
    expect(await branches()).toBe(0);
  });

  it('that lies in the future is as bad as none: nobody knows how long ago it was', async () => {
    const first = await open();
    const type = await typeIn(first);
    const before = await create(first, type, 'a');
    await closeAll();
    await age(-DAY);
    const store = await open();
    await store.ping();
    await expectLost(store, type, before + BigInt(60 * DAY * VERSIONS_A_SECOND));
    expect(store.isLost(type, before)).toBe(false);
    // Once is enough, also by a clock that stays where it is.
    const late = await open();
    await late.ping();
    expect(await branches()).toBe(1);
  });

  it('hides no silence: a pooler may have led its connection to another database', async () => {
    const store = await open();
    const type = await typeIn(store);
    const before = await create(store, type, 'a');
    // On connections that stay.
    await age(DAY);
    await expect.poll(() => store.isLost(type, before + 1n), { timeout: 20_000 }).toBe(true);
    await create(store, type, 'b');
  });

  it('of a server set to close partitions faster counts for all', async () => {
    const hasty = await openStore({ url: server.url, naming: 'orch', schema, retention: 100 });
    stores.push(hasty);
    const type = await typeIn(hasty);
    const pace = async () => Number((await sql('SELECT pace FROM heartbeat'))[0]?.pace);
    // A partition lasts a second at least, however short the retention: versions do not run out.
    await expect.poll(pace, { timeout: 20_000 }).toBe(2 * Number(PARTITION_WIDTH));
    const before = await create(hasty, type, 'a');
    await closeAll();
    await age(DAY);
    const store = await open();
    await store.ping();
    await expectLost(store, type, before + BigInt(DAY) * PARTITION_WIDTH);
  });
});

describe('a database of before heartbeats', () => {
  const BEFORE = 3;

  /** As that release left it, and how many seconds ago. */
  async function old(seconds: number): Promise<void> {
    const options = completeOptions({ url: server.url, naming: 'orch', schema });
    const address = parseDatabaseUrl(server.url);
    const host = address.hosts[0] as DatabaseHost;
    const connection = await DatabaseConnection.open(host, { ...options, address, idleTransactionTimeout: 0 });
    await migrate(connection, schema, (await shippedMigrations()).slice(0, BEFORE), options);
    await ensurePartitions(connection);
    await new RegisteredTypes().register(connection, [{ group: '', resource: 'things' }]);
    await connection.query(
      `INSERT INTO maintenance_lease VALUES ('compaction', 'somebody', clock_timestamp() - make_interval(secs => ${seconds}))`,
    );
    await connection.end();
  }

  it('that still runs is no copy', async () => {
    await old(-30);
    await (await open()).ping();
    expect(await branches()).toBe(0);
  });

  it('that has been silent may be one', async () => {
    await old(60 * DAY);
    const store = await open();
    const type = await typeIn(store);
    const { head = 0n } = (await store.heads([type])).get(type) ?? {};
    await expectLost(store, type, head + BigInt(60 * DAY * VERSIONS_A_SECOND));
    expect(store.isLost(type, head)).toBe(false);
  });
});
