import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlParameter } from '../connections/connection.js';
import { openStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { KeptRows } from './kept-rows.js';

const MINUTE = 60_000;

/** What is counted after looks at these times, given the database's counts at each: dead, live, ended, vacuums. */
async function counts(looks: readonly (readonly [at: number, ...counts: [number, number, number, number]])[]) {
  let time = 0;
  let row: string[] = [];
  const kept = new KeptRows(() => time);
  const found: number[] = [];
  for (const [at, ...counted] of looks) {
    time = at;
    row = counted.map(String);
    found.push(await kept.count({ statement: async () => [row] }));
  }
  return found;
}

describe('rows that an old snapshot keeps', () => {
  it('are those that a vacuum has left behind, but for what may have died since', async () => {
    const found = await counts([
      [0, 50_000, 1_000, 90_000, 3],
      [1_000, 52_000, 1_000, 92_000, 3],
      [2_000, 2_500, 1_000, 94_000, 4],
      [30_000, 60_000, 1_000, 151_500, 4],
      [31_000, 61_000, 1_000, 152_500, 5],
      [32_000, 500, 1_000, 153_000, 6],
    ]);
    expect(found).toEqual([49_900, 51_900, 500, 500, 60_000, 0]);
  });

  it('are more than usual where no vacuum was seen for minutes, or nobody has looked', async () => {
    const found = await counts([
      [0, 30_000, 400_000, 90_000, 3],
      [MINUTE, 70_000, 400_000, 130_000, 3],
      [MINUTE + 1, 10, 400_000, 130_010, 4],
      [2 * MINUTE, 70_000, 400_000, 200_000, 4],
      [3 * MINUTE + 2, 90_000, 400_000, 220_000, 4],
      [9 * MINUTE, 95_000, 400_000, 500_000, 9],
    ]);
    expect(found).toEqual([0, 30_000, 0, 0, 50_000, 55_000]);
  });

  it('are not taken from a look that another has overtaken, nor long from statistics that began anew', async () => {
    const found = await counts([
      [0, 9_000, 0, 90_000, 3],
      [1, 1_000, 0, 90_500, 4],
      [2, 9_000, 0, 90_100, 3],
      [3, 50_000, 0, 100, 0],
      [3 * MINUTE, 60_000, 0, 10_100, 1],
    ]);
    expect(found).toEqual([9_000, 500, 500, 500, 60_000]);
  });
});

describe('where many row versions are dead', () => {
  const OBJECTS = 100;
  const DEAD = 3_000;
  let server: TestServer;
  let session: pg.Client;
  let schema: string;

  beforeAll(async () => {
    server = await startTestServer();
    schema = server.freshSchema();
    const store = await openStore({ url: server.url, naming: 'orch', schema });
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const body = Buffer.from('{"metadata":{}}');
    for (let i = 0; i < OBJECTS; i++)
      await store.write({ op: 'create', type, namespace: '', name: `o${i}`, uid: 'u', body, requireNamespace: false });
    await store.close();
    session = await server.session(schema);
    await session.query('ALTER TABLE object SET (autovacuum_enabled = off)');
  });
  afterAll(() => server.dispose());

  const kill = async () => {
    for (let left = DEAD; left > 0; left -= OBJECTS) await session.query('UPDATE object SET era = era + 1');
    await session.query('SELECT pg_stat_force_next_flush()');
  };
  const connection = {
    statement: async (_: string, text: string, values: readonly SqlParameter[]) =>
      (await session.query({ text, values: [...values], rowMode: 'array' })).rows,
  };

  it('they are kept as long as a snapshot is open that a vacuum has met', async () => {
    const kept = new KeptRows();
    await kill();
    await kept.count(connection);
    await session.query('VACUUM object');
    await kill();
    expect(await kept.count(connection)).toBe(0);
    await session.query('VACUUM object');
    const old = await server.session(server.freshSchema());
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    await kill();
    await kept.count(connection);
    await session.query('VACUUM object');
    expect(await kept.count(connection)).toBe(DEAD);
    await old.query('COMMIT');
    await session.query('VACUUM object');
    expect(await kept.count(connection)).toBe(0);
  });

  it('lists of few do not go from object to object where the next vacuum will remove them', async () => {
    const { store, list } = await opened();
    await list();
    await session.query('VACUUM object');
    await list();
    await kill();
    const before = await seeks();
    for (let i = 0; i < 10; i++) await list();
    await store.close();
    expect((await seeks()) - before).toBeLessThan(10 * OBJECTS);
  });

  it('lists of few go from object to object where a vacuum has left them', async () => {
    const { store, list } = await opened();
    const old = await server.session(server.freshSchema());
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    await kill();
    await list();
    await session.query('VACUUM object');
    const before = await seeks();
    for (let i = 0; i < 10; i++) await list();
    await store.close();
    await old.query('COMMIT');
    expect((await seeks()) - before).toBeGreaterThan(20 * OBJECTS);
  });

  const opened = async () => {
    const store = await openStore({ url: server.url, naming: 'orch', schema, deadRows: DEAD });
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const list = async () => {
      for await (const _ of (await store.snapshot({ type })).pages);
    };
    return { store, list };
  };

  /** How often the index of objects was sought in, by sessions that have ended. */
  const seeks = async (): Promise<number> =>
    (
      await session.query(
        `SELECT idx_scan::int AS n FROM pg_stat_user_indexes WHERE schemaname = '${schema}' AND indexrelname = 'object_key'`,
      )
    ).rows[0].n;
});
