import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseConnection } from '../connections/connection.js';
import { type DatabaseHost, parseDatabaseUrl } from '../connections/connection-url.js';
import type { Key, TypeId, Version } from '../face/key.js';
import { completeOptions } from '../face/options.js';
import type { Row, SnapshotRequest, WriteOp } from '../face/store.js';
import { migrate, shippedMigrations } from '../maintenance/migrate.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { RegisteredTypes } from '../writes/registered-types.js';
import { findPageEnd } from './exact-page.js';
import { ensurePartitions, PARTITION_WIDTH } from './history.js';
import { exactRows, page } from './snapshot-sql.js';

const OBJECTS = 6_000;
const PAGE = 100;

let server: TestServer;
let store: PostgresStore;
let schema: string;
let session: pg.Client;
let type: TypeId;
/** The state that the pages are of, and what it held. */
let at: Version;
let model: Row[];

const body = (text: string) => Buffer.from(`{"metadata":{},"text":"${text}"}`);
const keyOf = (i: number): Key => ({ namespace: `n${i % 3}`, name: `o${String(i).padStart(6, '0')}` });

async function writeAll(ops: readonly WriteOp[]): Promise<Version[]> {
  const outcomes = await Promise.all(ops.map((op) => store.write(op)));
  return outcomes.map((outcome) => {
    if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
    return outcome.version;
  });
}

const creation = (key: Key, text: string): WriteOp => ({
  op: 'create',
  type,
  ...key,
  uid: 'u',
  body: body(text),
  requireNamespace: false,
});

/** Everything is written again, more than once; one in ten goes, half of those come back, and twice as many are new. */
async function disturb(versions: readonly Version[]): Promise<void> {
  const updates = (of: readonly Version[]) =>
    of.map(
      (version, i): WriteOp => ({ op: 'update', type, ...keyOf(i), version, body: body('new'), terminating: false }),
    );
  const newer = await writeAll(updates(await writeAll(updates(versions))));
  const tenth = newer.flatMap((version, i) => (i % 10 === 0 ? [{ version, ...keyOf(i) }] : []));
  await writeAll(tenth.map((row): WriteOp => ({ op: 'delete', type, ...row, body: body('last') })));
  await writeAll(tenth.filter((_, i) => i % 2 === 0).map((key) => creation(key, 'again')));
  await writeAll(newer.map((_, i) => creation({ ...keyOf(i), name: `${keyOf(i).name}-later` }, 'later')));
}

beforeAll(async () => {
  server = await startTestServer();
  schema = server.freshSchema();
  store = await openStore({ url: server.url, naming: 'orch', schema });
  session = await server.session(schema);
  await session.query('SET enable_seqscan = off; SET jit = off');
  [type = 0] = await store.registerTypes([{ group: 'test.example', resource: 'things' }]);
  const versions = await writeAll(Array.from({ length: OBJECTS }, (_, i) => creation(keyOf(i), `old ${i}`)));
  at = (await store.heads([type])).get(type)?.head ?? 0n;
  model = versions.map((version, i) => ({
    ...keyOf(i),
    uid: 'u',
    version,
    storedVersion: '',
    defaults: 0,
    body: body(`old ${i}`),
  }));
  model.sort((a, b) => (a.namespace + a.name < b.namespace + b.name ? -1 : 1));
  await disturb(versions);
}, 60_000);
afterAll(async () => {
  await store?.close();
  await server?.dispose();
});

/**
 * Blocks, in memory or not, that are looked at for a page. The store's own statements are explained as it makes them: on a
 * connection that says how often it looked.
 */
async function blocks(request: SnapshotRequest & { limit: number }, version: Version): Promise<number> {
  let looked = 0;
  const explain = async (select: string) => {
    const { rows } = await session.query(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${select}`);
    const plan = rows[0]['QUERY PLAN'][0].Plan;
    looked += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  };
  const connection = {
    async query(text: string) {
      if (text.startsWith('SELECT')) await explain(text);
      return (await session.query({ text, rowMode: 'array' })).rows;
    },
  };
  await session.query('BEGIN');
  const { last } = await findPageEnd(connection, request, version, request.limit);
  await explain(page(exactRows({ ...request, ...(last && { through: last }) }, version), undefined));
  await session.query('COMMIT');
  return looked;
}

async function rowsOf(request: SnapshotRequest): Promise<Row[]> {
  const found: Row[] = [];
  for await (const page of (await store.snapshot(request)).pages) found.push(...page);
  return found;
}

it('counts what is behind a page of an older version up to a bound, and says nothing beyond', async () => {
  const few = await openStore({ url: server.url, naming: 'orch', schema, countedRows: OBJECTS - 10 });
  const remaining = async (limit: number, from = few) => {
    const { pages, ...found } = await from.snapshot({ type, at, limit, cut: 'count' });
    for await (const _page of pages);
    return [found.remaining, found.last !== undefined];
  };
  expect(await remaining(10)).toEqual([OBJECTS - 10, true]);
  expect(await remaining(9)).toEqual([undefined, true]);
  expect(await remaining(9, store)).toEqual([OBJECTS - 9, true]);
  await few.close();
});

describe('a database of before the index', () => {
  const INDEX = 4;

  it('is read right over partitions with it and without', async () => {
    const schema = server.freshSchema();
    const options = completeOptions({ url: server.url, naming: 'orch', schema });
    const address = parseDatabaseUrl(server.url);
    const old = await DatabaseConnection.open(address.hosts[0] as DatabaseHost, {
      ...options,
      address,
      idleTransactionTimeout: 0,
    });
    await migrate(
      old,
      schema,
      (await shippedMigrations()).filter(({ number }) => number < INDEX),
      options,
    );
    await ensurePartitions(old);
    const [other = 0] = await new RegisteredTypes().register(old, [{ group: '', resource: 'things' }]);
    const writeAsBefore = async (action: 1 | 3, name: string, version = 0n): Promise<Version> => {
      const [row] = await old.query(
        `SELECT o_version FROM write_batch('{${other}}', '{}', 0, '{${other}}', '{${action}}', '{""}', '{${name}}', '{u}', '{${version}}', '{x}')`,
      );
      return BigInt(row?.[0] ?? 0);
    };
    const first = [await writeAsBefore(1, 'a'), await writeAsBefore(1, 'b'), await writeAsBefore(1, 'c')];
    const then = first.at(-1);
    await writeAsBefore(3, 'b', first[1]);
    const young = await openStore({ url: server.url, naming: 'orch', schema });
    const write = async (op: 'create' | 'update', name: string, version = 0n): Promise<Version> => {
      const key = { type: other, namespace: '', name, body: body(`${op} ${version}`) };
      const made = { ...key, op: 'create', uid: 'u', requireNamespace: false } as const;
      const changed = { ...key, op: 'update', version, terminating: false } as const;
      const outcome = await young.write(op === 'create' ? made : changed);
      return outcome.outcome === 'committed' ? outcome.version : 0n;
    };
    // Nothing is written any more to the partition that goes without.
    expect(await write('update', 'c', first[2])).toBeGreaterThanOrEqual(PARTITION_WIDTH);
    await write('create', 'aa');
    const found: string[] = [];
    for (let after: Key | undefined; found.length < 9; ) {
      const snapshot = await young.snapshot({
        type: other,
        limit: 1,
        cut: 'find',
        ...(then && { at: then }),
        ...(after && { after }),
      });
      for await (const page of snapshot.pages) found.push(...page.map(({ name, version }) => `${name} ${version}`));
      after = snapshot.last;
      if (!after) break;
    }
    expect(found).toEqual(['a', 'b', 'c'].map((name, i) => `${name} ${first[i]}`));
    const indexes = await old.query(
      `SELECT tablename FROM pg_indexes WHERE schemaname = '${schema}' AND tablename LIKE 'change%' AND indexdef LIKE '%(type, namespace, name, version%' ORDER BY 1`,
    );
    expect(indexes.flat()).toEqual(['change', 'change_1', 'change_2', 'change_3']);
    await old.end();
    await young.close();
  });
});

describe('pages of a version that everything has been written since', () => {
  it('hold what it held', async () => {
    const found: Row[] = [];
    for (let after: Key | undefined; ; ) {
      const some = await rowsOf({ type, at, limit: 1_000, ...(after && { after }) });
      found.push(...some);
      after = some.at(-1);
      if (some.length < 1_000) break;
    }
    expect(found).toEqual(model);
    expect(await rowsOf({ type, at, namespace: 'n1' })).toEqual(model.filter(({ namespace }) => namespace === 'n1'));
  });

  it.each([0, 1, 2])('read what they hold (from the third %i)', async (third) => {
    const after = { namespace: `n${third}`, name: 'o003000' };
    const looked = await blocks({ type, after, limit: PAGE }, at);
    // Its rows twice, what has come in between them, and for each the way back from what it is now: some blocks a step.
    expect(looked).toBeLessThan(60 * PAGE);
  });

  it('take few statements where nearly everything has come since', async () => {
    const [born = 0] = await store.registerTypes([{ group: 'test.example', resource: 'born' }]);
    const named = (name: string): WriteOp => ({ ...creation({ namespace: '', name }, name), type: born });
    const [, then = 0n] = await writeAll([named('first'), named('last')]);
    await writeAll(Array.from({ length: 5_000 }, (_, i) => named(`g${i}`)));
    let statements = 0;
    const connection = {
      async query(text: string) {
        statements++;
        return (await session.query({ text, rowMode: 'array' })).rows;
      },
    };
    await session.query('BEGIN');
    const end = await findPageEnd(connection, { type: born, after: { namespace: '', name: 'first' } }, then, 1);
    await session.query('COMMIT');
    expect(end).toEqual({ last: { namespace: '', name: 'last' }, more: false });
    expect(statements).toBeLessThan(20);
  });

  it('read about as much when one of their objects was changed 5,000 times', async () => {
    const after = { namespace: 'n1', name: 'o003000' };
    const before = await blocks({ type, after, limit: PAGE }, at);
    const hot = keyOf(3_007);
    let version: Version | 'previous' = (await store.get(type, hot))?.version ?? 0n;
    for (let i = 0; i < 5; i++) {
      const changes = Array.from(
        { length: 1_000 },
        (_, j) => ({ op: 'update', type, ...hot, body: body('hot'), j }) as const,
      );
      const outcome = await store.writeSet(
        changes.map(({ j, ...op }) => ({ ...op, terminating: false, version: j === 0 ? version : 'previous' })),
      );
      version = outcome.outcome === 'committed' ? (outcome.versions.at(-1) ?? 0n) : 0n;
    }
    const rows = await rowsOf({ type, after, limit: PAGE, at });
    expect(rows).toEqual(
      model.filter(({ namespace, name }) => namespace + name > after.namespace + after.name).slice(0, PAGE),
    );
    expect(rows.map(({ name }) => name)).toContain(hot.name);
    // The way back from the change that the index knows is eight steps in the mean.
    expect((await blocks({ type, after, limit: PAGE }, at)) - before).toBeLessThan(1_000);
  });
});
