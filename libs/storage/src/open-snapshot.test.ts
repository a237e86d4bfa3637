import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore, type PostgresStore } from './postgres-store.js';
import type { TypeId } from './store.js';
import { startTestServer, type TestServer } from './testing/servers.js';

const COMMITS = 1500;

let server: TestServer;
let store: PostgresStore;
let session: pg.Client;
let type: TypeId;

beforeAll(async () => {
  server = await startTestServer();
  const schema = server.freshSchema();
  store = await openStore({ url: server.url, naming: 'orch', schema });
  [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  session = await server.session(schema);
  await session.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan');
});
afterAll(async () => {
  await store.close();
  await server.dispose();
});

async function commit(name: string): Promise<void> {
  const body = Buffer.from('{}');
  await store.write({ op: 'create', type, namespace: '', name, uid: 'u', body, requireNamespace: false });
}

/** Pages that a statement looks at, whether they were in memory or not. */
async function pagesOf(statement: string): Promise<number> {
  const { rows } = await session.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ${statement}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

/** Of a write that is rolled back, and of a look at the head. The second time: the first one plans. */
async function costs(): Promise<{ readonly write: number; readonly head: number }> {
  const call = `SELECT * FROM write_batch('{${type}}', '{}', 0, '{${type}}', '{1}', '{""}', '{probe}', '{u}', '{0}', '{x}')`;
  const measure = async (statement: string) => {
    await session.query('BEGIN');
    await pagesOf(statement);
    const pages = await pagesOf(statement.replace('probe', 'probe2'));
    await session.query('ROLLBACK');
    return pages;
  };
  return { write: await measure(call), head: await measure(`SELECT head FROM resource_type WHERE id = ${type}`) };
}

it('an old snapshot makes neither writes nor looks at the head read more, however many commits it outlives', async () => {
  await commit('first');
  const before = await costs();
  const old = await server.session(server.freshSchema());
  await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
  for (let i = 0; i < COMMITS; i++) await commit(`o${i}`);
  const after = await costs();
  await old.query('COMMIT');
  // The trees of objects, changes and heads have grown by a level at most.
  expect(after.head - before.head).toBeLessThanOrEqual(2);
  expect(after.write - before.write).toBeLessThanOrEqual(10);
});
