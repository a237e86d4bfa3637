import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { int4Array, int8Array } from './arrays.js';
import { Connection } from './connection.js';
import { parseDatabaseUrl } from './connection-url.js';
import { ensurePartitions, PARTITION_WIDTH } from './history.js';
import { migrate, shippedMigrations } from './migrate.js';
import { completeOptions } from './options.js';
import { openStore, type PostgresStore } from './postgres-store.js';
import { registerTypes } from './register-types.js';
import type { TypeId } from './store.js';
import { startTestServer, type TestServer } from './testing/servers.js';

/** The newest migration of the release before. */
const BEFORE = 3;

/** What servers of the release before send, word for word. */
const STATEMENTS = {
  write_batch: 'SELECT * FROM write_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
  heads: `SELECT t.id, t.head, f.floor, i.epoch
    FROM installation i, resource_type t JOIN history_floor f ON f.type = t.id WHERE t.id = ANY ($1)`,
  changes: `SELECT t.head, f.floor, c.version, c.previous, c.action, c.namespace, c.name, c.uid, c.body, c.at, c.prior, c.prior_version
    FROM resource_type t JOIN history_floor f ON f.type = t.id
    LEFT JOIN LATERAL (
      SELECT * FROM change x WHERE x.type = $1 AND x.version > $2 ORDER BY x.version LIMIT $3) c ON f.floor <= $2
   WHERE t.id = $1 ORDER BY c.version`,
  settled_head: `SELECT t.head, f.floor FROM resource_type t JOIN history_floor f ON f.type = t.id WHERE t.id = $1 FOR SHARE OF t`,
  compare: `SELECT i.epoch, i.system_identifier, i.timeline,
       (SELECT count(*) FROM unnest($1::integer[], $2::bigint[]) s (id, version)
         WHERE NOT EXISTS (SELECT 1 FROM resource_type t WHERE t.id = s.id AND t.head >= s.version)
            OR EXISTS (SELECT 1 FROM branch b, history_floor f
                        WHERE b.type = s.id AND s.version > b.ended AND s.version < b.began
                          AND f.type = s.id AND f.floor < s.version)),
       (SELECT string_agg(concat_ws(' ', b.type, b.ended, b.began), ',') FROM branch b)
  FROM installation i`,
  to_seal: `SELECT p.number FROM history_partition p, resource_version s
     WHERE p.number = s.last_value / ${PARTITION_WIDTH} AND (SELECT max(t.head) FROM resource_type t) >= p.number * ${PARTITION_WIDTH}`,
  get: `SELECT k.i, o.namespace, o.name, o.uid, o.version, o.body
    FROM unnest($1::integer[], $2::text[], $3::text[]) WITH ORDINALITY k (type, namespace, name, i)
    CROSS JOIN LATERAL (
      SELECT * FROM object x
       WHERE x.type = k.type AND x.namespace = k.namespace COLLATE "C" AND x.name = k.name COLLATE "C" OFFSET 0) o`,
};

let server: TestServer;
let schema: string;
let old: Connection;
let type: TypeId;
let store: PostgresStore;

/** A connection of the release before, to a schema that it has just made. */
async function openBefore(own: string) {
  const options = completeOptions({ url: server.url, naming: 'orch', schema: own });
  const address = parseDatabaseUrl(server.url);
  const [host] = address.hosts;
  if (!host) throw new Error('no host');
  const connection = await Connection.open(host, { ...options, address, idleTransactionTimeout: 10_000 });
  await migrate(connection, own, (await shippedMigrations()).slice(0, BEFORE), options);
  await ensurePartitions(connection);
  const [first = 0] = await registerTypes(connection, [{ group: '', resource: 'things' }]);
  const create = async (name: string) => {
    const values = [`{${first}}`, '{}', 0, `{${first}}`, '{1}', '{""}', `{${name}}`, '{u}', '{0}', '{x}'];
    const [row] = await connection.statement('write_batch', STATEMENTS.write_batch, values);
    return row?.[0];
  };
  return { connection, type: first, write: create };
}

beforeAll(async () => {
  server = await startTestServer();
  schema = server.freshSchema();
  ({ connection: old, type } = await openBefore(schema));
  // Its sessions stay open, with their statements prepared, while another server migrates.
  await write(1, 'before', 0n);
  await head();
  await settledHead();
  await changesAfter(0n);
  store = await openStore({ url: server.url, naming: 'orch', schema });
}, 60_000);
afterAll(async () => {
  await old.end();
  await store.close();
  await server.dispose();
});

async function write(action: number, name: string, version: bigint) {
  const values = [
    [`{${type}}`, '{}', 0, `{${type}}`, `{${action}}`],
    ['{""}', `{${name}}`, '{u}', int8Array([version]), `{${name}}`],
  ].flat();
  const [row] = await old.statement('write_batch', STATEMENTS.write_batch, values);
  return { outcome: row?.[0], version: BigInt(row?.[1] ?? 0), previous: BigInt(row?.[2] ?? 0), uid: row?.[3] };
}

async function head(): Promise<bigint> {
  const [row] = await old.statement('heads', STATEMENTS.heads, [int4Array([type])]);
  return BigInt(row?.[1] ?? 0);
}

async function settledHead(): Promise<bigint> {
  const [row] = await old.statement('settled_head', STATEMENTS.settled_head, [type]);
  return BigInt(row?.[0] ?? 0);
}

async function changesAfter(version: bigint): Promise<(string | null | undefined)[]> {
  const rows = await old.statement('changes', STATEMENTS.changes, [type, version, 100]);
  return rows.map((row) => row[6] ?? undefined);
}

const createNow = (name: string) =>
  store.write({ op: 'create', type, namespace: '', name, uid: 'u', body: Buffer.from(name), requireNamespace: false });

describe('a migration', () => {
  it('waits for a long read without holding up the writes of servers that run', async () => {
    const own = server.freshSchema();
    const before = await openBefore(own);
    const reading = await server.session(own);
    await reading.query('BEGIN; SELECT count(*) FROM object');
    let migrated = false;
    const opening = openStore({ url: server.url, naming: 'orch', schema: own }).finally(() => {
      migrated = true;
    });
    const looking = await server.session(own);
    const waits = `SELECT FROM pg_locks WHERE relation = '${own}.object'::regclass AND NOT granted`;
    await expect.poll(async () => (await looking.query(waits)).rowCount, { timeout: 10_000, interval: 5 }).toBe(1);
    for (let i = 0; i < 5; i++) expect(await before.write(`during-${i}`)).toBe('1');
    expect(migrated).toBe(false);
    await reading.query('COMMIT');
    const after = await opening;
    expect(await before.write('after')).toBe('1');
    await before.connection.end();
    await after.close();
  });
});

describe('a write of the release before that has begun when the lanes change', () => {
  it('is one that its server tries again', async () => {
    const own = server.freshSchema();
    const before = await openBefore(own);
    const migrating = await server.session(own);
    const looking = await server.session(own);
    const [migration] = (await shippedMigrations()).slice(BEFORE);
    await migrating.query(`BEGIN; ${migration?.text}`);
    const writing = before.write('during').catch((error: { code?: string }) => error.code);
    const waits = `SELECT FROM pg_locks WHERE relation = '${own}.resource_type'::regclass AND NOT granted`;
    await expect.poll(async () => (await looking.query(waits)).rowCount, { timeout: 10_000, interval: 5 }).toBe(1);
    await migrating.query('COMMIT');
    expect(await writing).toBe('40001');
    expect(await before.write('during')).toBe('1');
    await before.connection.end();
  });
});

describe('a server of the release before, beside one that has migrated', () => {
  it('keeps what it had, and writes one chain with the other', async () => {
    const from = await head();
    const mine = await write(1, 'old', 0n);
    expect(mine).toMatchObject({ outcome: '1', previous: from });
    const theirs = await createNow('new');
    expect(theirs).toEqual({ outcome: 'committed', version: await head() });
    const updated = await write(3, 'new', await head());
    expect(updated).toMatchObject({ outcome: '1', uid: 'u' });
    const chained = await write(5, 'new', updated.version);
    expect(await write(3, 'new', updated.version)).toMatchObject({ outcome: '4' });
    expect(await write(1, 'old', 0n)).toMatchObject({ outcome: '2' });
    expect(await write(3, 'old', 1n)).toMatchObject({ outcome: '3', version: mine.version });
    const changes = await store.changes(type, from, 100);
    expect(changes.map(({ name, op }) => [name, op])).toEqual([
      ['old', 'create'],
      ['new', 'create'],
      ['new', 'update'],
      ['new', 'delete'],
    ]);
    expect(changes.map(({ previous }) => previous)).toEqual([from, ...changes.slice(0, -1).map((c) => c.version)]);
    expect([await head(), await settledHead()]).toEqual([chained.version, chained.version]);
    expect(await changesAfter(from)).toEqual(['old', 'new', 'new', 'new']);
    const [row] = await old.statement('get', STATEMENTS.get, [int4Array([type]), '{""}', '{old}']);
    expect(row?.slice(1, 4)).toEqual(['', 'old', 'u']);
  });

  it('registers types, and finds those that were registered', async () => {
    const asked = [
      { group: '', resource: 'things' },
      { group: 'old', resource: 'more' },
    ];
    const ids = await registerTypes(old, asked);
    expect(ids[0]).toBe(type);
    expect(await store.registerTypes(asked)).toEqual(ids);
    const [more = 0] = ids.slice(1);
    const { head, floor } = (await store.heads([more])).get(more) ?? { head: 0n, floor: -1n };
    expect([head > 0n, floor]).toEqual([true, head]);
  });

  it('judges and closes history as before', async () => {
    const compare = async (version: bigint) => {
      const [row] = await old.query(STATEMENTS.compare, [int4Array([type]), int8Array([version])]);
      return row?.[3];
    };
    expect([await compare(await head()), await compare((await head()) + 1n)]).toEqual(['0', '1']);
    // Writes have gone on in the next partition since the migration.
    expect(await old.query(STATEMENTS.to_seal)).toEqual([['1']]);
  });

  it('begins an epoch that the other one notices', async () => {
    const before = await head();
    let rewound = 0;
    store.onRewind(() => rewound++);
    await old.query('SELECT begin_epoch($1, $2, $3)', [1n, before + 5n, PARTITION_WIDTH]);
    const now = (await store.heads([type])).get(type);
    expect(rewound).toBe(1);
    expect(now).toEqual({ head: await head(), floor: await head() });
    expect(now?.floor).toBeGreaterThan(before + 5n);
    expect((await createNow('later')).outcome).toBe('committed');
    expect(await changesAfter(now?.floor ?? 0n)).toEqual(['later']);
  });
});
