import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findIdentity } from '../embedded/identity.js';
import type { TypeId, Version } from '../face/key.js';
import type { Row, Snapshot } from '../face/store.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { APART, bodyOf } from '../testing/body-codec.js';
import { SYSTEM_BINARIES } from '../testing/servers.js';
import { installPackages } from '../testing/system-packages.js';

const run = promisify(execFile);

/** A primary and a standby that streams from it, of the system's PostgreSQL. */
async function startPair() {
  const identity = await findIdentity(undefined);
  const dir = await mkdtemp(join(tmpdir(), 'pg-pair-'));
  if (identity.switched) await chown(dir, identity.uid, identity.gid);
  const program = (name: string, ...args: string[]) =>
    run(join(SYSTEM_BINARIES, name), args, { ...identity.spawnAs, cwd: dir });
  const data = (name: string) => join(dir, name);
  const start = (name: string) =>
    // Reached through sockets of a directory of their own, so that no port is taken.
    program(
      'pg_ctl',
      '-D',
      data(name),
      '-w',
      '-l',
      join(dir, `${name}.log`),
      '-o',
      `-k ${dir} -h '' -p ${port(name)}`,
      'start',
    );
  const port = (name: string) => (name === 'primary' ? 5001 : 5002);
  const url = (name: string) => `postgres://postgres@/postgres?host=${encodeURIComponent(dir)}&port=${port(name)}`;
  await program('initdb', '-D', data('primary'), '-U', 'postgres', '-A', 'trust', '-N');
  await start('primary');
  await program('pg_basebackup', '-D', data('standby'), '-h', dir, '-p', '5001', '-U', 'postgres', '-R', '-c', 'fast');
  await start('standby');
  const standby = new pg.Client({ host: dir, port: 5002, user: 'postgres', database: 'postgres' });
  standby.on('error', () => undefined);
  await standby.connect();
  return {
    primaryUrl: url('primary'),
    standbyUrl: url('standby'),
    standby,
    async stopStandby() {
      await standby.end();
      await program('pg_ctl', '-D', data('standby'), '-m', 'immediate', 'stop');
    },
    async dispose() {
      for (const name of ['standby', 'primary'])
        await program('pg_ctl', '-D', data(name), '-m', 'immediate', 'stop').catch(() => undefined);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

let pair: Awaited<ReturnType<typeof startPair>>;
let store: PostgresStore;
/** A process that has read nothing yet. */
let fresh: PostgresStore;
let type: TypeId;
let serial = 0;
beforeAll(async () => {
  await installPackages();
  pair = await startPair();
}, 300_000);
afterAll(() => pair?.dispose());

const key = { namespace: 'n', name: 'a' };
const body = (text: string) => bodyOf(text, `owner of ${text}`);
const committed = (outcome: { outcome: string; version?: Version }): Version => {
  if (outcome.version === undefined || outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
};
const create = async () =>
  committed(await store.write({ op: 'create', type, ...key, uid: 'u', body: body('1'), requireNamespace: false }));
const update = async (version: Version, text: string) =>
  committed(await store.write({ op: 'update', type, ...key, version, body: body(text), terminating: false }));
async function listed(snapshot: Snapshot): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of snapshot.pages) rows.push(...page);
  return rows;
}
/** Resolves when the standby has everything. */
async function caughtUp(): Promise<void> {
  const head = (await store.heads([type])).get(type)?.head ?? 0n;
  await expect
    .poll(async () => {
      const { rows } = await pair.standby.query('SELECT head FROM cluster.resource_type WHERE id = $1', [type]);
      return BigInt((rows[0] as { head: string } | undefined)?.head ?? 0) >= head;
    })
    .toBe(true);
}

describe('reads that may be a little behind', () => {
  beforeEach(async () => {
    const open = (readUrl: string) => openStore({ url: pair.primaryUrl, naming: 'orch', readUrl, bodies: APART });
    store = await open('');
    [type = 0] = await store.registerTypes([{ group: 'test', resource: `things${++serial}` }]);
    fresh = await open(pair.standbyUrl);
    return async () => {
      await Promise.all([store.close(), fresh.close()]);
    };
  });

  it('come from the replica, as it is', async () => {
    const version = await create();
    await caughtUp();
    await pair.standby.query('SELECT pg_wal_replay_pause()');
    try {
      // What others have announced is not what this process has answered with.
      fresh.noteAnnounced(type, await update(version, '2'));
      expect((await fresh.getStale(type, key))?.body).toEqual(body('1'));
      expect(await fresh.getStale(type, { ...key, name: 'none' })).toBeUndefined();
      // What no object can have as its key, or no list as its place, is no failure of the replica.
      expect(await fresh.getStale(type, { ...key, name: 'a\0b' })).toBeUndefined();
      await fresh.snapshot({ type, stale: true, namespace: 'a\0b' }).catch(() => undefined);
      const rows = await listed(await fresh.snapshot({ type, stale: true }));
      expect(rows.map((row) => row.body)).toEqual([body('1')]);
      expect((await fresh.get(type, key))?.body).toEqual(body('2'));
    } finally {
      await pair.standby.query('SELECT pg_wal_replay_resume()');
    }
  });

  it('never go back behind what this process has read or written', async () => {
    const version = await create();
    await caughtUp();
    await pair.standby.query('SELECT pg_wal_replay_pause()');
    try {
      const next = await update(version, '2');
      await fresh.heads([type]);
      expect((await fresh.getStale(type, key))?.body).toEqual(body('2'));
      expect((await fresh.snapshot({ type, stale: true })).version).toBe(next);
    } finally {
      await pair.standby.query('SELECT pg_wal_replay_resume()');
    }
  });

  it('come from the primary when the replica is gone', async () => {
    await create();
    await pair.stopStandby();
    expect((await fresh.getStale(type, key))?.body).toEqual(body('1'));
    expect(await listed(await fresh.snapshot({ type, stale: true }))).toHaveLength(1);
  });
});
