import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLANNER_SETTINGS } from '../connections/connection.js';
import type { TypeId, Version } from '../face/key.js';
import type { WriteOp, WriteOutcome } from '../face/store.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { PARTITION_WIDTH } from './history.js';
import { GET } from './object-gets.js';
import { MEASURE_FEW } from './reader.js';
import { currentRows, exactRows, IN_INDEX_ORDER, page } from './snapshot-sql.js';

const COMMITS = 800;

let server: TestServer;
let store: PostgresStore;
let session: pg.Client;
let type: TypeId;
let schema: string;

beforeAll(async () => {
  server = await startTestServer();
  schema = server.freshSchema();
  store = await openStore({ url: server.url, naming: 'orch', schema });
  [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  session = await server.session(schema);
  // When it comes decides where there are holes, and with them how many row versions of an era lie before the last.
  await session.query('ALTER TABLE object SET (autovacuum_enabled = off)');
  for (const [name, value] of PLANNER_SETTINGS) await session.query(`SET ${name} = ${value}`);
  await session.query('BEGIN');
});
afterAll(async () => {
  await store.close();
  await server.dispose();
});

const body = Buffer.alloc(1000, 'x');

async function create(name: string, of = type): Promise<Version> {
  return versionOf(
    await store.write({ op: 'create', type: of, namespace: '', name, uid: 'u', body, requireNamespace: false }),
  );
}

async function update(name: string, version: Version, of = type): Promise<Version> {
  const update = { op: 'update', type: of, namespace: '', name, version, body, terminating: false } as const;
  return versionOf(await store.write(update));
}

function versionOf(outcome: WriteOutcome): Version {
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

/** Carries out `work` while a snapshot from before it is open, and what comes after it still is. */
async function besideSnapshot<T>(work: () => Promise<void>, then: () => Promise<T>): Promise<T> {
  const old = await server.session(server.freshSchema());
  await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
  await work();
  const result = await then();
  await old.query('COMMIT');
  return result;
}

/** Pages that a statement looks at, whether they were in memory or not. The second time: the first one plans. */
async function pagesOf(statement: string, ahead = ''): Promise<number> {
  const look = async () => {
    await session.query(ahead);
    const { rows } = await session.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ${statement}`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    await session.query('ROLLBACK; BEGIN');
    return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  };
  await look();
  return look();
}

/** Of a call that writes one object, and is rolled back. */
const pagesOfWrite = (action: number, name: string, version: Version) =>
  pagesOf(
    `SELECT * FROM commit_charged(NULL, '{${type}}', '{}', 0, '{1}', '{${action}}', '{""}', '{${name}}', '{u}', '{${version}}',
      '{""}', '{}', ARRAY[convert_to('${body}', 'UTF8')], '{o}', '{1}', 0, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
  );
const pagesOfHead = () => pagesOf(`SELECT head FROM resource_type WHERE id = ${type}`);

describe('an old snapshot', () => {
  it('makes neither writes nor looks at the head read more, however many commits it outlives', async () => {
    await create('first');
    const before = [await pagesOfWrite(1, 'probe', 0n), await pagesOfHead()];
    const many = async () => {
      for (let i = 0; i < COMMITS; i++) await create(`o${i}`);
    };
    const after = await besideSnapshot(many, async () => [await pagesOfWrite(1, 'probe', 0n), await pagesOfHead()]);
    // The trees of objects, changes and heads have grown by a level at most.
    expect((after[0] ?? 0) - (before[0] ?? 0)).toBeLessThanOrEqual(10);
    expect((after[1] ?? 0) - (before[1] ?? 0)).toBeLessThanOrEqual(2);
  });

  it('makes an update of an object that is updated again and again read a few pages more, not all it ever was', async () => {
    let version = await create('hot');
    for (let i = 0; i < 20; i++) version = await update('hot', version);
    const before = await pagesOfWrite(3, 'hot', version);
    const many = async () => {
      for (let i = 0; i < COMMITS; i++) version = await update('hot', version);
    };
    const after = await besideSnapshot(many, () => pagesOfWrite(3, 'hot', version));
    const written = COMMITS / 8; // so many of them fill a page
    expect(after - before).toBeLessThan(written / 4);
  });

  it('makes updates of many objects by turns read no more than before, however often each was updated', async () => {
    const versions = new Map<string, Version>();
    for (let i = 0; i < 30; i++) versions.set(`turn${i}`, await create(`turn${i}`));
    const round = async () => {
      for (const [name, version] of versions) versions.set(name, await update(name, version));
    };
    const analyzing = await server.session(schema);
    const pages = async () => {
      // What autovacuum finds out is known.
      await analyzing.query('ANALYZE object');
      const each: number[] = [];
      for (const [name, version] of versions) each.push(await pagesOfWrite(3, name, version));
      return Math.max(...each);
    };
    await round();
    const before = await pages();
    const many = async () => {
      for (let i = 0; i < 60; i++) await round();
    };
    expect((await besideSnapshot(many, pages)) - before).toBeLessThanOrEqual(20);
    await analyzing.end();
  });

  it('makes a charge read a few pages more, not all that the account ever was', async () => {
    const [accounts = 0, charged = 0] = await store.registerTypes([
      { group: '', resource: 'accounts' },
      { group: '', resource: 'charged' },
    ]);
    store.setAccountType(accounts);
    const account: WriteOp = {
      ...{ op: 'create', type: accounts, namespace: 'ns', name: 'q', uid: 'u', requireNamespace: false },
      body: Buffer.from('{"metadata":{},"used":{}}'),
      tally: { place: { fromEnd: 3, length: 2 }, amounts: { pods: { limit: '100000', used: '0' } } },
    };
    const known = versionOf(await store.write(account));
    const charges = [{ account: 'q', amounts: { pods: '1' }, limited: true }];
    const one = async (name: string) => {
      const op = {
        op: 'create',
        type: charged,
        namespace: 'ns',
        name,
        uid: 'u',
        body,
        requireNamespace: false,
      } as const;
      versionOf(await store.write({ ...op, charging: { known, charges } }));
    };
    const probe = () =>
      pagesOf(`SELECT * FROM commit_charged(NULL, '{${accounts},${charged}}', '{}', 0, '{2}', '{1}', '{ns}', '{probe}', '{u}', '{0}',
        '{""}', '{}', '{x}', '{}', '{-1}', ${accounts}, '{${known}}', '{}', '{ns}', '{q}', '{pods}', '{1}', '{1}', '{1}', '{1}')`);
    for (let i = 0; i < 20; i++) await one(`first${i}`);
    const before = await probe();
    const many = async () => {
      for (let i = 0; i < COMMITS; i++) await one(`o${i}`);
    };
    const after = await besideSnapshot(many, probe);
    const written = COMMITS / 20; // so many of its small rows fill a page
    expect(after - before).toBeLessThan(written);
  });

  it('makes a read of such an object, and a set with it, read no more than before', async () => {
    let version = await create('warm');
    const read = () => pagesOf(GET.replace('$1', `'{${type}}'`).replace('$2', `'{""}'`).replace('$3', `'{warm}'`));
    const decide = () =>
      pagesOf(`SELECT * FROM commit_charged(NULL, '{${type}}', '{}', 0, '{1,1}', '{3,3}', '{"",""}', '{warm,none}', '{"",""}',
        '{${version},1}', '{"",""}', '{}', '{x,x}', '{}', '{2,0}', 0, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`);
    for (let i = 0; i < 20; i++) version = await update('warm', version);
    const before = [await read(), await decide()];
    const many = async () => {
      for (let i = 0; i < COMMITS; i++) version = await update('warm', version);
    };
    const after = await besideSnapshot(many, async () => [await read(), await decide()]);
    expect((after[0] ?? 0) - (before[0] ?? 0)).toBeLessThanOrEqual(5);
    expect((after[1] ?? 0) - (before[1] ?? 0)).toBeLessThanOrEqual(10);
  });

  it('makes lists of few objects, and their measure, read no more than before', async () => {
    const [few = 0] = await store.registerTypes([{ group: '', resource: 'few' }]);
    const range = { type: few, sparse: true };
    let version = await create('weighed', few);
    const at = version;
    await create('beside', few);
    const reads = async () => [
      await pagesOf(MEASURE_FEW.replaceAll('$1', String(few)).replace('$2', '900')),
      await pagesOf(page(currentRows(range), undefined), IN_INDEX_ORDER),
      await pagesOf(page(exactRows(range, at), undefined), IN_INDEX_ORDER),
    ];
    const many = async () => {
      for (let i = 0; i < COMMITS; i++) version = await update('weighed', version, few);
    };
    for (let i = 0; i < 20; i++) version = await update('weighed', version, few);
    const before = await reads();
    const after = await besideSnapshot(many, reads);
    expect((after[0] ?? 0) - (before[0] ?? 0)).toBeLessThanOrEqual(20);
    expect((after[1] ?? 0) - (before[1] ?? 0)).toBeLessThanOrEqual(20);
    // The way back goes over changes, of which there are more.
    expect((after[2] ?? 0) - (before[2] ?? 0)).toBeLessThanOrEqual(100);
  });

  it('makes lists of few objects that are written by turns go through each once, in a namespace and by pages as well', async () => {
    const [turned = 0] = await store.registerTypes([{ group: '', resource: 'turned' }]);
    const names = Array.from({ length: 60 }, (_, i) => `turn${i}`);
    let versions = await Promise.all(names.map((name) => create(name, turned)));
    const rounds = async (count: number) => {
      for (let i = 0; i < count; i++)
        versions = await Promise.all(names.map((name, at) => update(name, versions[at] as Version, turned)));
    };
    const few = { type: turned, sparse: true };
    const named = { ...few, namespace: '' };
    const [after, through] = ['turn0', 'turn9'].map((name) => ({ namespace: '', name }));
    const ranges = [few, named, { ...few, through }, { ...named, through }, { ...few, after }, { ...named, after }];
    const many = async () => {
      await rounds(300);
      // Of a former era: what is kept of the last one may have to be looked at.
      const advancing = await server.session(schema);
      await advancing.query('SELECT advance_versions($1)', [(((versions[0] as Version) >> 15n) + 1n) << 15n]);
      await advancing.end();
      await rounds(3);
    };
    const reads = async () => {
      const each: number[] = [];
      for (const range of ranges) each.push(await pagesOf(page(currentRows(range), undefined), IN_INDEX_ORDER));
      return each;
    };
    await rounds(3);
    const before = await reads();
    const beside = await besideSnapshot(many, reads);
    for (const [at, pages] of beside.entries())
      expect(pages - (before[at] as number), JSON.stringify(ranges[at])).toBeLessThanOrEqual(60 * 4);
  });

  it('does not make a read of history open the partitions that could not be dropped', async () => {
    const [history = 0] = await store.registerTypes([{ group: '', resource: 'history' }]);
    const opening = await server.session(schema);
    const { rows } = await opening.query('SELECT max(number)::int AS last FROM history_partition');
    const newest = rows[0].last + 9;
    for (let number = rows[0].last + 1; number <= newest; number++)
      await opening.query('SELECT create_history_partition($1, $2)', [number, PARTITION_WIDTH]);
    await opening.query('SELECT advance_versions($1)', [BigInt(newest) * BigInt(PARTITION_WIDTH)]);
    await opening.end();
    const at = await create('one', history);
    await update('one', at, history);
    const { rows: plan } = await session.query(`EXPLAIN ${page(exactRows({ type: history }, at), undefined)}`);
    const opened = new Set(
      JSON.stringify(plan)
        .match(/change_\d+/g)
        ?.map((name) => Number(name.slice(7))),
    );
    expect([...opened]).toEqual([newest]);
  });

  it('does not make the compactor go through heads again that it has removed', async () => {
    const commits = 400;
    const many = async () => {
      for (let i = 0; i < commits; i++) await create(`t${i}`);
      await store.compactor.runOnce();
    };
    // Counted since the session last told its statistics, whenever that was.
    const looked = async (): Promise<number> =>
      (await session.query(`SELECT pg_stat_get_xact_tuples_returned('head_pkey'::regclass)::int AS n`)).rows[0].n;
    const read = await besideSnapshot(many, async () => {
      const before = await looked();
      await session.query('SELECT trim_heads()');
      const after = await looked();
      await session.query('ROLLBACK; BEGIN');
      return after - before;
    });
    expect(read).toBeGreaterThanOrEqual(0);
    expect(read).toBeLessThan(commits / 4);
  });
});
