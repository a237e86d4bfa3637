import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseConnection } from '../connections/connection.js';
import { parseDatabaseUrl } from '../connections/connection-url.js';
import type { TypeId } from '../face/key.js';
import { completeOptions } from '../face/options.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { ensurePartitions, PARTITION_WIDTH } from '../reads/history.js';
import { APART, bodyOf } from '../testing/body-codec.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { byteaArray, int4Array, int8Array } from '../writes/arrays.js';
import { RegisteredTypes } from '../writes/registered-types.js';
import { migrate, shippedMigrations } from './migrate.js';

/** The newest migration of the release before. */
const BEFORE = 8;

/** What servers of the release before send, word for word. */
const STATEMENTS = {
  commit_writes: 'SELECT * FROM commit_writes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)',
  heads: `
SELECT t.id, t.head, f.floor, i.epoch, i.resumed
  FROM installation i, resource_type t JOIN history_floor f ON f.type = t.id
 WHERE t.id = ANY ($1)`,
  changes: `
SELECT t.head, f.floor, c.version, c.previous, c.action, c.namespace, c.name, c.uid, c.stored_version, c.body, c.at, c.prior, c.prior_version, c.prior_stored_version, c.owners, c.prior_owners, c.defaults, c.prior_defaults
  FROM resource_type t JOIN history_floor f ON f.type = t.id
  LEFT JOIN LATERAL (
    SELECT * FROM change x WHERE x.type = $1 AND x.version > $2 ORDER BY x.version LIMIT $3) c ON f.floor <= $2
 WHERE t.id = $1
 ORDER BY c.version`,
  await_lane: 'SELECT await_lane($1)',
  compare: `
SELECT i.epoch, i.system_identifier, i.timeline,
       (SELECT count(*) FROM unnest($1::integer[], $2::bigint[]) s (id, version)
         WHERE NOT EXISTS (SELECT 1 FROM resource_type t WHERE t.id = s.id AND t.head >= s.version)
            OR EXISTS (SELECT 1 FROM branch b, history_floor f
                        WHERE b.type = s.id AND s.version > b.ended AND s.version < b.began
                          AND f.type = s.id AND f.floor < s.version)),
       (SELECT string_agg(concat_ws(' ', b.type, b.ended, b.began), ',') FROM branch b),
       (SELECT abs(extract(epoch FROM clock_timestamp() - h.at)) FROM heartbeat h), i.resumed
  FROM installation i`,
  beat: 'SELECT beat($1, $2)',
  to_seal: `SELECT p.number FROM history_partition p, resource_version s
        WHERE p.number = s.last_value / ${PARTITION_WIDTH} AND s.last_value % ${PARTITION_WIDTH} < ${(PARTITION_WIDTH * 9n) / 10n}
          AND p.opened_at <= now() - make_interval(secs => $1)
          AND (SELECT max(t.head) FROM resource_type t) >= p.number * ${PARTITION_WIDTH}`,
  tell: `
INSERT INTO server AS s (id, until, served, drained)
VALUES ($1, clock_timestamp() + make_interval(secs => $2), $3, $4)
ON CONFLICT (id) DO UPDATE SET until = EXCLUDED.until, served = EXCLUDED.served, drained = EXCLUDED.drained
RETURNING xmax = 0`,
  least: 'SELECT min(served), min(drained) FROM server WHERE until >= clock_timestamp()',
  get: `
SELECT k.i, o.namespace, o.name, o.uid, o.version, o.body, o.stored_version, o.owners, o.defaults
  FROM unnest($1::integer[], $2::text[], $3::text[]) WITH ORDINALITY k (type, namespace, name, i)
  CROSS JOIN LATERAL (
    SELECT * FROM object x
     WHERE x.type = k.type AND x.namespace = k.namespace COLLATE "C"
       AND x.name = k.name COLLATE "C" ORDER BY x.era DESC LIMIT 1) o`,
};

let server: TestServer;
let schema: string;
let old: DatabaseConnection;
let type: TypeId;
let store: PostgresStore;

/** A connection of the release before, to a schema that it has just made, with one type. */
async function openBefore(own: string) {
  const options = completeOptions({ url: server.url, naming: 'orch', schema: own });
  const address = parseDatabaseUrl(server.url);
  const [host] = address.hosts;
  if (!host) throw new Error('no host');
  const connection = await DatabaseConnection.open(host, { ...options, address, idleTransactionTimeout: 10_000 });
  await migrate(connection, own, (await shippedMigrations()).slice(0, BEFORE), options);
  await ensurePartitions(connection);
  const [first = 0] = await new RegisteredTypes().register(connection, [{ group: '', resource: 'things' }]);
  return { connection, type: first };
}

interface OldWrite {
  readonly action: 1 | 3 | 4 | 5;
  readonly name: string;
  readonly version?: bigint;
  readonly body?: Buffer;
  readonly owners?: Buffer;
}

/** One write, as a batch of its own. */
async function writeOn(
  connection: DatabaseConnection,
  of: TypeId,
  { action, name, version = 0n, body, owners }: OldWrite,
) {
  const values = [
    ...[100, `{${of}}`, '{}', 0, '{1}', `{${action}}`, '{""}', `{${name}}`, '{u}', int8Array([version]), '{v1}', '{7}'],
    ...[byteaArray([body ?? Buffer.from(name)]), byteaArray([owners ?? null]), '{1}'],
  ];
  const [row] = await connection.statement('commit_writes', STATEMENTS.commit_writes, values);
  return { outcome: row?.[0], version: BigInt(row?.[1] ?? 0), previous: BigInt(row?.[2] ?? 0), uid: row?.[3] };
}

const open = (own: string) => openStore({ url: server.url, naming: 'orch', schema: own, bodies: APART });

beforeAll(async () => {
  server = await startTestServer();
  schema = server.freshSchema();
  ({ connection: old, type } = await openBefore(schema));
  // Its sessions stay open, with their statements prepared, while another server migrates.
  await write({ action: 1, name: 'before' });
  await head();
  await old.statement('await_lane', STATEMENTS.await_lane, [type]);
  await changesAfter(0n);
  await bodyOfOld('before');
  await old.statement('beat', STATEMENTS.beat, [PACE, HOUR]);
  store = await open(schema);
}, 60_000);
afterAll(async () => {
  await old.end();
  await store.close();
  await server.dispose();
});

/** Versions a second, and seconds of silence that are none. */
const PACE = 1_000_000;
const HOUR = 3_600;

const write = (one: OldWrite) => writeOn(old, type, one);

async function head(): Promise<bigint> {
  const [row] = await old.statement('heads', STATEMENTS.heads, [int4Array([type])]);
  return BigInt(row?.[1] ?? 0);
}

const decoded = (hex: string | null | undefined) => (hex ? Buffer.from(hex.slice(2), 'hex').toString() : undefined);

/** Bodies after and before each change. */
async function changesAfter(version: bigint): Promise<(string | undefined)[][]> {
  const rows = await old.statement('changes', STATEMENTS.changes, [type, version, 100]);
  return rows.map((row) => [decoded(row[9]), decoded(row[11])]);
}

async function bodyOfOld(name: string): Promise<string | undefined> {
  const [row] = await old.statement('get', STATEMENTS.get, [int4Array([type]), '{""}', `{${name}}`]);
  return decoded(row?.[5]);
}

const createNow = (name: string, body: Buffer = Buffer.from(name)) =>
  store.write({ op: 'create', type, namespace: '', name, uid: 'u', body, requireNamespace: false });

async function updateNow(name: string, version: bigint, body: Buffer): Promise<bigint> {
  const key = { type, namespace: '', name };
  const outcome = await store.write({ op: 'update', ...key, version, body, terminating: false });
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

const bodyNow = async (name: string) => (await store.get(type, { namespace: '', name }))?.body.toString();

describe('a migration', () => {
  it('waits for nobody who reads objects, and holds up no write', async () => {
    const own = server.freshSchema();
    const before = await openBefore(own);
    const create = async (name: string) => (await writeOn(before.connection, before.type, { action: 1, name })).outcome;
    const reading = await server.session(own);
    await reading.query('BEGIN; SELECT count(*) FROM object');
    const after = await open(own);
    expect(await create('a')).toBe('1');
    expect(await after.get(before.type, { namespace: '', name: 'a' })).toMatchObject({ defaults: 7 });
    await reading.query('COMMIT');
    await before.connection.end();
    await after.close();
  });

  it('has whoever takes all lanes wait for a write that had begun before it', async () => {
    const own = server.freshSchema();
    const before = await openBefore(own);
    await before.connection.query('BEGIN');
    expect(await writeOn(before.connection, before.type, { action: 1, name: 'a' })).toMatchObject({ outcome: '1' });
    const after = await open(own);
    const taker = await server.session(own);
    const taken = taker.query('SELECT lock_lanes()');
    const looker = await server.session(own);
    const waiting = async () => {
      const { rows } = await looker.query(
        "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = 'lane'::regclass",
      );
      return rows.map(({ objid }) => Number(objid));
    };
    await expect.poll(waiting, { timeout: 30_000 }).toEqual([before.type]);
    await before.connection.query('COMMIT');
    await taken;
    await before.connection.end();
    await after.close();
  });

  it('leaves the software of the release before able to open the database, after a rollback', async () => {
    const own = server.freshSchema();
    await (await open(own)).close();
    const before = await openBefore(own);
    expect(await writeOn(before.connection, before.type, { action: 1, name: 'a' })).toMatchObject({ outcome: '1' });
    await before.connection.end();
  });
});

describe('a server of the release before, beside one that has migrated', () => {
  it('keeps what it had, and writes one chain with the other', async () => {
    const from = await head();
    const mine = await write({ action: 1, name: 'old' });
    expect(mine).toMatchObject({ outcome: '1', previous: from });
    const theirs = await createNow('new');
    expect(theirs).toEqual({ outcome: 'committed', version: await head() });
    const updated = await write({ action: 3, name: 'new', version: await head() });
    expect(updated).toMatchObject({ outcome: '1', uid: 'u' });
    const chained = await write({ action: 5, name: 'new', version: updated.version });
    expect(await write({ action: 3, name: 'new', version: updated.version })).toMatchObject({ outcome: '4' });
    expect(await write({ action: 1, name: 'old' })).toMatchObject({ outcome: '2' });
    expect(await write({ action: 3, name: 'old', version: 1n })).toMatchObject({ outcome: '3', version: mine.version });
    const changes = await store.changes(type, from, 100);
    expect(changes.map(({ name, op, storedVersion }) => [name, op, storedVersion])).toEqual([
      ['old', 'create', 'v1'],
      ['new', 'create', ''],
      ['new', 'update', 'v1'],
      ['new', 'delete', 'v1'],
    ]);
    expect(changes.map(({ previous }) => previous)).toEqual([from, ...changes.slice(0, -1).map((c) => c.version)]);
    await old.statement('await_lane', STATEMENTS.await_lane, [type]);
    expect(await head()).toBe(chained.version);
    expect((await changesAfter(from)).map(([body]) => body)).toEqual(['old', 'new', 'new', 'new']);
    expect(await bodyOfOld('old')).toBe('old');
  });

  it('registers types, and finds those that were registered', async () => {
    const asked = [
      { group: '', resource: 'things' },
      { group: 'old', resource: 'more' },
    ];
    const ids = await new RegisteredTypes().register(old, asked);
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
    const [row] = await old.statement('beat', STATEMENTS.beat, [PACE, HOUR]);
    expect(['beaten', 'fresh']).toContain(row?.[0]);
    await old.query('UPDATE history_partition SET opened_at = now() WHERE opened_at IS NULL');
    expect(await old.query(STATEMENTS.to_seal, [0])).toEqual([[String((await head()) / PARTITION_WIDTH)]]);
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
    expect((await changesAfter(now?.floor ?? 0n)).map(([body]) => body)).toEqual(['later']);
  });
});

it('what that server writes beside an account is to be counted again', async () => {
  const [quotas = 0] = await store.registerTypes([{ group: '', resource: 'resourcequotas' }]);
  store.setAccountType(quotas);
  const key = { type: quotas, namespace: '', name: 'q' };
  const tally = { place: { fromEnd: 3, length: 2 }, amounts: { things: { limit: '5', used: '1' } } };
  const account = { op: 'create', ...key, uid: 'u', requireNamespace: false, tally } as const;
  const made = await store.write({ ...account, body: Buffer.from('{"metadata":{},"used":{}}') });
  if (made.outcome !== 'committed') throw new Error(made.outcome);
  expect((await store.uncharged()).namespaces).toEqual([]);
  await write({ action: 1, name: 'uncharged' });
  const { upTo, namespaces } = await store.uncharged();
  expect(namespaces).toEqual(['']);
  await store.forgetUncharged(upTo);
  expect((await store.uncharged()).namespaces).toEqual([]);
  // An account that it writes itself has no amounts any more, and plans from before are old.
  const body = Buffer.from('{"metadata":{},"used":{"things":"7"}}');
  await writeOn(old, quotas, { action: 3, name: 'q', version: made.version, body });
  const charging = { known: made.version, charges: [{ account: 'q', amounts: { things: '1' }, limited: true }] };
  const charged = {
    op: 'create',
    type,
    namespace: '',
    name: 'charged',
    uid: 'u',
    body,
    requireNamespace: false,
  } as const;
  expect((await store.write({ ...charged, charging })).outcome).toBe('accounts-changed');
  const known = (await store.heads([quotas])).get(quotas)?.head ?? 0n;
  expect((await store.write({ ...charged, charging: { ...charging, known } })).outcome).toBe('committed');
  expect(String((await store.get(quotas, key))?.body)).toBe(String(body));
  expect((await store.uncharged()).namespaces).toEqual(['']);
});

it('a server of the release before tells how far it has come, and hears how far others have', async () => {
  expect(await store.leastProgress()).toBeUndefined();
  const presence = store.presence(60_000);
  await presence.tell({ served: 7n, drained: 4n, held: ['a'] });
  await old.query(STATEMENTS.tell, ['old', 60, '6', '5']);
  expect(await store.leastProgress()).toEqual({ served: 6n, drained: 5n, held: new Set(['a']) });
  expect(await old.query(STATEMENTS.least, [])).toEqual([['6', '4']]);
  await presence.withdraw();
  await old.query('DELETE FROM server', []);
});

describe('owners of fields, beside that server', () => {
  const text = (...of: Parameters<typeof bodyOf>) => bodyOf(...of).toString();

  it('go both ways', async () => {
    const from = await head();
    await createNow('mine', bodyOf('1', 'me'));
    const { body, owners } = APART.split(bodyOf('2', 'you'));
    const updated = await write({ action: 3, name: 'mine', version: await head(), body, ...(owners && { owners }) });
    expect(await bodyNow('mine')).toBe(text('2', 'you'));
    await updateNow('mine', updated.version, bodyOf('3', 'me again'));
    expect(await bodyOfOld('mine')).toBe(text('3'));
    const changes = await store.changes(type, from, 100);
    expect(changes.map(({ body, prior }) => [body.toString(), prior?.toString()])).toEqual([
      [text('1', 'me'), undefined],
      [text('2', 'you'), text('1', 'me')],
      [text('3', 'me again'), text('2', 'you')],
    ]);
  });
});
