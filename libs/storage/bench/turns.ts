/**
 * What writes cost in several trees of this repository, by turns within the same minutes: servers that others use as well
 * vary by a third from one minute to the next, the ratios of one run do not.
 *
 *   npx tsx --conditions=source libs/storage/bench/turns.ts [--trees=../old,.] [--rounds=6] [--requesters=64] [--writes=200]
 *     [--bytes=1024] [--sql='DROP INDEX change_by_key']
 *
 * Each tree has an embedded PostgreSQL of its own. Every round each requester creates so many objects, updates each twice, and
 * deletes them. CPU is that of the backends and their helpers, from /proc. --sql runs once in the schema of a further copy of the last tree.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded/index.js';
import type { PostgresStore, TypeId, Version, WriteOp } from '../src/index.js';

const { values: flags } = parseArgs({
  options: {
    trees: { type: 'string', default: '.' },
    rounds: { type: 'string', default: '6' },
    requesters: { type: 'string', default: '64' },
    writes: { type: 'string', default: '200' },
    bytes: { type: 'string', default: '1024' },
    sql: { type: 'string' },
  },
});
const requesters = Number(flags.requesters);
const writes = Number(flags.writes);
const body = Buffer.alloc(Number(flags.bytes), '{"metadata":{"name":"x"},"data":"0123456789"}');

interface Subject {
  readonly name: string;
  readonly store: PostgresStore;
  readonly type: TypeId;
  readonly session: pg.Client;
  readonly postmaster: number;
  readonly costs: Map<string, Cost[]>;
  stop(): Promise<void>;
}

interface Cost {
  readonly rate: number;
  readonly node: number;
  readonly postgres: number;
  readonly wal: number;
}

/** Microseconds of CPU that the processes below a postmaster, which all live as long as a round, have used so far. */
function databaseCpu(postmaster: number): number {
  let nanoseconds = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const [parent] = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) . /, '')
        .split(' ');
      if (Number(parent) === postmaster)
        nanoseconds += Number(readFileSync(`/proc/${entry}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The process ended between the listing and the reading.
    }
  }
  return nanoseconds / 1000;
}

async function open(tree: string, sql?: string): Promise<Subject> {
  const source = pathToFileURL(resolve(tree, 'libs/storage/src/index.ts')).href;
  const { openStore } = (await import(source)) as typeof import('../src/index.js');
  const dataDir = await mkdtemp(join(tmpdir(), 'turns-'));
  const server = await startEmbeddedPostgres({ dataDir });
  const store = await openStore({ url: server.url, naming: 'orch' });
  const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  const session = new pg.Client({ connectionString: server.url });
  await session.connect();
  await session.query('SET search_path = cluster');
  if (sql) await session.query(sql);
  const stop = async () => {
    await store.close();
    await session.end();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  const name = sql ? `${tree}, ${sql}` : tree;
  return { name, store, type, session, postmaster: server.pid ?? 0, costs: new Map(), stop };
}

async function measure(subject: Subject, what: string, count: number, work: () => Promise<void>): Promise<void> {
  const position = async () =>
    Number((await subject.session.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS at`)).rows[0].at);
  const wal = await position();
  const cpu = process.cpuUsage();
  const database = databaseCpu(subject.postmaster);
  const begin = performance.now();
  await work();
  const rate = (count * 1000) / (performance.now() - begin);
  const used = process.cpuUsage(cpu);
  const cost = {
    rate,
    node: (used.user + used.system) / count,
    postgres: (databaseCpu(subject.postmaster) - database) / count,
    wal: ((await position()) - wal) / count,
  };
  subject.costs.set(what, [...(subject.costs.get(what) ?? []), cost]);
}

async function commit(store: PostgresStore, op: WriteOp): Promise<Version> {
  const outcome = await store.write(op);
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

async function round(subject: Subject, serial: number): Promise<void> {
  const { store, type } = subject;
  const versions: Version[][] = Array.from({ length: requesters }, () => []);
  const keyOf = (i: number, j: number) => ({
    type,
    namespace: `n${i % 8}`,
    name: `r${serial}-${(j * 7919) % 10007}-${i}`,
    body,
  });
  const everybody = (work: (i: number, j: number, version: Version) => WriteOp) =>
    Promise.all(
      versions.map(async (own, i) => {
        for (let j = 0; j < writes; j++) own[j] = await commit(store, work(i, j, own[j] ?? 0n));
      }),
    );
  const update = (i: number, j: number, version: Version): WriteOp => ({
    op: 'update',
    ...keyOf(i, j),
    version,
    terminating: false,
  });
  await measure(subject, 'create', requesters * writes, async () => {
    await everybody((i, j) => ({ op: 'create', ...keyOf(i, j), uid: `u-${i}-${j}`, requireNamespace: false }));
  });
  await measure(subject, 'update', 2 * requesters * writes, async () => {
    await everybody(update);
    await everybody(update);
  });
  await measure(subject, 'delete', requesters * writes, async () => {
    await everybody((i, j, version) => ({ op: 'delete', ...keyOf(i, j), version }));
  });
}

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

const trees = (flags.trees ?? '').split(',');
const subjects: Subject[] = [];
for (const tree of trees) subjects.push(await open(tree));
if (flags.sql) subjects.push(await open(trees.at(-1) ?? '.', flags.sql));
for (const subject of subjects) {
  await round(subject, 0);
  subject.costs.clear();
}
for (let serial = 1; serial <= Number(flags.rounds); serial++)
  for (const subject of subjects) await round(subject, serial);
for (const what of ['create', 'update', 'delete']) {
  const [first, ...rows] = subjects.map(({ name, costs }) => {
    const of = (each: (cost: Cost) => number) => median((costs.get(what) ?? []).map(each));
    return {
      tree: name,
      rate: of((c) => c.rate),
      node: of((c) => c.node),
      postgres: of((c) => c.postgres),
      wal: of((c) => c.wal),
    };
  });
  console.log(
    `${what}, medians: writes/s, µs of CPU of node and of PostgreSQL, bytes of WAL; PostgreSQL's CPU to that of the first`,
  );
  console.table(
    [first, ...rows].flatMap((row) =>
      row && first
        ? [
            {
              tree: row.tree,
              'writes/s': Math.round(row.rate),
              'node µs': row.node.toFixed(1),
              'postgres µs': row.postgres.toFixed(1),
              WAL: Math.round(row.wal),
              ratio: (row.postgres / first.postgres).toFixed(3),
            },
          ]
        : [],
    ),
  );
}
for (const subject of subjects) await subject.stop();
