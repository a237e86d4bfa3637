import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BodyCodec } from '../face/body-codec.js';
import type { TypeId, Version } from '../face/key.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { APART, bodyOf } from '../testing/body-codec.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

let server: TestServer;
const stores: PostgresStore[] = [];
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.dispose();
});

async function open(schema: string, bodies?: BodyCodec): Promise<PostgresStore> {
  const store = await openStore({ url: server.url, naming: 'orch', schema, ...(bodies && { bodies }) });
  stores.push(store);
  return store;
}

async function setUp() {
  const schema = server.freshSchema();
  const store = await open(schema, APART);
  const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  return { schema, store, type, session: await server.session(schema) };
}

const key = { namespace: 'n', name: 'a' };

async function create(store: PostgresStore, type: TypeId, body: Buffer): Promise<Version> {
  const outcome = await store.write({ op: 'create', type, ...key, uid: 'u', body, requireNamespace: false });
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

const update = (store: PostgresStore, type: TypeId, version: Version, body: Buffer) =>
  store.write({ op: 'update', type, ...key, version, body, terminating: false });

describe('owners of fields', () => {
  it('lie beside the body, which is stored as if there were none', async () => {
    const { store, type, session } = await setUp();
    const version = await create(store, type, bodyOf('1', 'me'));
    await update(store, type, version, bodyOf('2'));
    const { rows: objects } = await session.query('SELECT body, owners FROM object');
    expect(objects).toEqual([{ body: bodyOf('2'), owners: null }]);
    const { rows: changes } = await session.query(
      'SELECT body, owners, prior, prior_owners FROM change ORDER BY version',
    );
    expect(changes).toEqual([
      { body: bodyOf('1'), owners: Buffer.from('em'), prior: null, prior_owners: null },
      { body: bodyOf('2'), owners: null, prior: bodyOf('1'), prior_owners: Buffer.from('em') },
    ]);
  });

  it('count as stored bytes', async () => {
    const { store, type } = await setUp();
    await create(store, type, bodyOf('1', 'me'));
    expect(await store.measure(type, 10)).toEqual({ objects: 1, bytes: bodyOf('1').length + 2 });
  });

  it('are not compressed, in partitions of before nor in those to come', async () => {
    const { session } = await setUp();
    await session.query('SELECT create_history_partition(77, 10000000)');
    const { rows } = await session.query(
      `SELECT count(*)::int AS n, bool_and(attstorage = 'e') AS external FROM pg_attribute
        WHERE attname IN ('owners', 'prior_owners') AND attrelid IN (
          SELECT 'object'::regclass UNION ALL SELECT relid FROM pg_partition_tree('change'))`,
    );
    const { rows: partitions } = await session.query('SELECT count(*)::int AS n FROM history_partition');
    expect(rows).toEqual([{ n: 1 + 2 * (1 + partitions[0].n), external: true }]);
    expect(partitions[0].n).toBeGreaterThan(1);
  });

  it('are seen by whoever expires an object, and told with its end', async () => {
    const { store, type, session } = await setUp();
    const { head = 0n } = (await store.heads([type])).get(type) ?? {};
    await create(store, type, bodyOf('1', 'me'));
    const expirer = store.expirer(type, 3_600_000);
    await expirer.runOnce();
    await session.query(`UPDATE version_mark SET at = at - interval '1 day'`);
    expect(await expirer.runOnce()).toEqual({ ran: true, deleted: 1 });
    await expirer.stop();
    const changes = await store.changes(type, head, 10);
    expect(changes.map(({ op, body, prior }) => [op, body, prior])).toEqual([
      ['create', bodyOf('1', 'me'), undefined],
      ['delete', bodyOf('1', 'me'), bodyOf('1', 'me')],
    ]);
  });

  it('are left out by a store that was given no codec, and gone with what it writes', async () => {
    const { schema, store, type } = await setUp();
    const plain = await open(schema);
    const version = await create(store, type, bodyOf('1', 'me'));
    expect((await plain.get(type, key))?.body).toEqual(bodyOf('1'));
    await update(plain, type, version, bodyOf('2'));
    expect((await store.get(type, key))?.body).toEqual(bodyOf('2'));
    const changes = await store.changes(type, version, 10);
    expect(changes.map(({ body, prior }) => [body, prior])).toEqual([[bodyOf('2'), bodyOf('1', 'me')]]);
  });

  it('may be empty, which is not none', async () => {
    const { store, type, session } = await setUp();
    await create(store, type, bodyOf('1', ''));
    expect((await store.get(type, key))?.body).toEqual(bodyOf('1', ''));
    expect((await session.query('SELECT owners FROM object')).rows).toEqual([{ owners: Buffer.alloc(0) }]);
  });
});
