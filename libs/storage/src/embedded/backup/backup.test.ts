import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDatabaseUrl } from '../../connections/connection-url.js';
import type { EmbeddedPostgres } from '../embedded-options.js';
import { startEmbeddedPostgres } from '../index.js';
import { backUpEmbedded } from './back-up.js';
import { openBaseBackup } from './base-backup.js';
import { restoreEmbedded } from './restore.js';
import { readTar, tarHeader } from './tar.js';

let root: string;
let dataDir: string;
let server: EmbeddedPostgres;
let sql: pg.Client;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'backup-'));
  dataDir = join(root, 'source');
  server = await startEmbeddedPostgres({ dataDir });
  sql = await sessionWith(server);
  await sql.query('CREATE TABLE written (id serial PRIMARY KEY, body text)');
});
afterAll(async () => {
  await sql.end();
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

async function sessionWith({ url }: EmbeddedPostgres): Promise<pg.Client> {
  const { hosts, user, password, database } = parseDatabaseUrl(url);
  const client = new pg.Client({ ...hosts[0], user, password, database });
  await client.connect();
  return client;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** One that is not looked at, made once. */
let made: Promise<string> | undefined;
const anyBackup = (): Promise<string> => {
  made ??= (async () => {
    const file = join(root, 'any.tar.gz');
    await backUpEmbedded({ dataDir, file });
    return file;
  })();
  return made;
};

describe('a backup of an embedded PostgreSQL', () => {
  it('that is made under writes holds all that was committed before it began, and no write by half', async () => {
    const { rows } = await sql.query("INSERT INTO written (body) VALUES ('before') RETURNING id");
    const file = join(root, 'writes.tar.gz');
    const heard: [number, number][] = [];
    let ended = false;
    const backingUp = backUpEmbedded({ dataDir, file, onProgress: (...at) => heard.push(at) }).finally(() => {
      ended = true;
    });
    for (let i = 0; !ended; i++) await sql.query('INSERT INTO written (body) VALUES ($1), ($1)', [`pair ${i}`]);
    await backingUp;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await exists(`${file}.partial`)).toBe(false);
    expect(heard.length).toBeGreaterThan(3);
    expect(heard.every(([done, total]) => done <= total)).toBe(true);

    const target = join(root, 'restored');
    const last: number[] = [];
    await restoreEmbedded({ dataDir: target, file, onProgress: (done) => last.push(done) });
    expect(last.at(-1)).toBe((await stat(file)).size);
    expect(await exists(`${target}.restoring`)).toBe(false);
    const restored = await startEmbeddedPostgres({ dataDir: target });
    const session = await sessionWith(restored);
    const found = await session.query('SELECT id, body FROM written');
    expect(found.rows).toContainEqual({ id: rows[0].id, body: 'before' });
    const ofPairs = found.rows.filter(({ body }) => body !== 'before');
    expect(ofPairs.length % 2).toBe(0);
    const timeline = 'SELECT timeline_id FROM pg_control_checkpoint()';
    const ask = async (client: pg.Client) => (await client.query(timeline)).rows[0];
    const [before, after] = await Promise.all([ask(sql), ask(session)]);
    expect(after.timeline_id).toBeGreaterThan(before.timeline_id);
    await session.query("INSERT INTO written (body) VALUES ('after')");
    await session.end();
    await restored.stop();
  });

  it('has the log that it needs, however often it is written anew meanwhile', async () => {
    const backup = await openBaseBackup(server.url);
    const names: string[] = [];
    let first = true;
    for await (const { name, content } of readTar(backup.archive())) {
      names.push(name);
      if (first) {
        // The server waits for the reader: the socket has no room for the rest.
        for (let i = 0; i < 8; i++)
          await sql.query("SELECT pg_logical_emit_message(true, 'x', repeat('x', 1000)), pg_switch_wal()");
        await sql.query('CHECKPOINT');
        await sql.query('CHECKPOINT');
      }
      first = false;
      for await (const part of content) void part;
    }
    expect((await backup.manifest()).length).toBeGreaterThan(0);
    await backup.close();
    expect(names.filter((name) => /^pg_wal\/[0-9A-F]{24}$/.test(name)).length).toBeGreaterThan(7);
    const kept = 'SELECT count(*)::int AS slots FROM pg_replication_slots';
    await expect.poll(async () => (await sql.query(kept)).rows).toEqual([{ slots: 0 }]);
  });

  it('takes the place of no file, and leaves none behind when it fails or is broken off', async () => {
    const file = await anyBackup();
    await expect(backUpEmbedded({ dataDir, file })).rejects.toThrow(`${file} is there already`);
    const other = join(root, 'broken-off.tar.gz');
    const ending = new AbortController();
    const brokenOff = backUpEmbedded({ dataDir, file: other, signal: ending.signal, onProgress: () => ending.abort() });
    await expect(brokenOff).rejects.toThrow('aborted');
    await expect(backUpEmbedded({ dataDir: join(root, 'none'), file: other })).rejects.toThrow('no PostgreSQL runs on');
    await mkdir(join(root, 'idle'));
    await expect(backUpEmbedded({ dataDir: join(root, 'idle'), file: other })).rejects.toThrow('no PostgreSQL runs on');
    expect((await readdir(root)).filter((name) => name.startsWith('broken-off'))).toEqual([]);
    await writeFile(`${other}.partial`, '');
    await expect(backUpEmbedded({ dataDir, file: other })).rejects.toThrow(
      'another backup is running, or one was killed',
    );
  });
});

it('a backup of a server that says nothing more can be broken off', async () => {
  const ending = new AbortController();
  const file = join(root, 'silent.tar.gz');
  let held: number | undefined;
  const onProgress = () => {
    if (held !== undefined) return;
    held = 0;
    const asked = sql.query(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walsender' AND query LIKE 'BASE_BACKUP%'",
    );
    void asked.then(({ rows: [{ pid }] }) => {
      held = pid as number;
      process.kill(held, 'SIGSTOP');
      setImmediate(() => ending.abort(new Error('broken off')));
    });
  };
  try {
    await expect(backUpEmbedded({ dataDir, file, signal: ending.signal, onProgress })).rejects.toThrow();
    expect((await readdir(root)).filter((name) => name.startsWith('silent'))).toEqual([]);
    expect(held).toBeGreaterThan(0);
  } finally {
    if (held) process.kill(held, 'SIGCONT');
  }
});

describe('a restoration', () => {
  it('is refused into a folder that is used, or not empty, and changes nothing there', async () => {
    const file = await anyBackup();
    await expect(restoreEmbedded({ dataDir, file })).rejects.toThrow('is not empty');
    const filled = join(root, 'filled');
    await mkdir(filled);
    await writeFile(join(filled, 'notes'), '');
    await expect(restoreEmbedded({ dataDir: filled, file })).rejects.toThrow('is not empty');
    expect(await readdir(filled)).toEqual(['notes']);
  });

  it('leaves nothing behind when it is broken off', async () => {
    const [file, target] = [await anyBackup(), join(root, 'given-up')];
    const ending = new AbortController();
    const reason = new Error('broken off');
    const onProgress = () => ending.abort(reason);
    await expect(restoreEmbedded({ dataDir: target, file, onProgress, signal: ending.signal })).rejects.toBe(reason);
    await expect(restoreEmbedded({ dataDir: target, file, signal: ending.signal })).rejects.toBe(reason);
    expect((await readdir(root)).filter((name) => name.startsWith('given-up'))).toEqual([]);
  });

  it('begins anew where one that was killed has left something', async () => {
    const target = join(root, 'again');
    await mkdir(join(`${target}.restoring`, 'data'), { recursive: true });
    await writeFile(join(`${target}.restoring`, 'data', 'PG_VERSION'), '17\n');
    await mkdir(target);
    await restoreEmbedded({ dataDir: target, file: await anyBackup() });
    await (await startEmbeddedPostgres({ dataDir: target })).stop();
  });

  const damage: [string, string, (file: string) => Promise<void>][] = [
    ['is cut off', 'unexpected end of file', async (file) => truncate(file, (await stat(file)).size - 1000)],
    [
      'is cut off at its very end',
      'unexpected end of file',
      async (file) => truncate(file, (await stat(file)).size - 4),
    ],
    ['has a byte that was changed', '', (file) => changeByte(file)],
    ['is no backup', 'incorrect header check', (file) => writeFile(file, 'something else')],
    ['is empty', 'unexpected end of file|it is truncated', (file) => truncate(file, 0)],
    [
      'has a file that was changed',
      'PG_VERSION differs from what the server has sent',
      (file) => changePlain(file, 'data/PG_VERSION', 512),
    ],
    [
      'is the copy of a standby',
      'standby.signal shows that it is the copy of a standby',
      async (file) => {
        const entry = tarHeader({ name: 'data/standby.signal', kind: 'file', mode: 0o600, size: 0, modified: 0 });
        await writeFile(file, gzipSync(Buffer.concat([entry, gunzipSync(await readFile(file))]), { level: 1 }));
      },
    ],
    [
      'has a list of files beyond measure',
      'its list of files is too large',
      async (file) => {
        const size = (64 << 20) + 1;
        const entry = tarHeader({ name: 'data/backup_manifest', kind: 'file', mode: 0o600, size, modified: 0 });
        await writeFile(file, gzipSync(Buffer.concat([entry, gunzipSync(await readFile(file))]), { level: 1 }));
      },
    ],
    ['has another name in it', 'is invalid', (file) => changePlain(file, 'data/base/1/PG_VERSION', 0)],
    [
      'lacks its end',
      'it is truncated',
      async (file) => writeFile(file, gzipSync(gunzipSync(await readFile(file)).subarray(0, -1024), { level: 1 })),
    ],
  ];
  it.each(damage)('of a file that %s is refused and leaves nothing', async (_, reason, change) => {
    const file = join(root, 'damaged.tar.gz');
    await writeFile(file, await readFile(await anyBackup()));
    await change(file);
    const target = join(root, 'damaged');
    await expect(restoreEmbedded({ dataDir: target, file })).rejects.toThrow(
      new RegExp(`is not a complete backup: .*(${reason})`),
    );
    expect((await readdir(root)).filter((name) => name.startsWith('damaged') && name !== 'damaged.tar.gz')).toEqual([]);
  });
});

async function changeByte(file: string): Promise<void> {
  const bytes = await readFile(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

/** Changes a byte of an entry, with the sums of what it is compressed with. */
async function changePlain(file: string, name: string, offset: number): Promise<void> {
  const bytes = gunzipSync(await readFile(file));
  const at = bytes.indexOf(`${name}\0`) + offset;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(file, gzipSync(bytes, { level: 1 }));
}
