import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseDatabaseUrl } from '../connections/connection-url.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startEmbeddedPostgres } from './index.js';
import { isAlive } from './postmaster.js';
import { SupervisedPostgres, type SupervisionOptions } from './supervised-postgres.js';

let root: string;
const cleanUps: (() => Promise<void>)[] = [];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'supervised-'));
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function supervise(name: string, options: Partial<SupervisionOptions> = {}) {
  const heard: string[] = [];
  const observer = {
    ended: (pid: number) => void heard.push(`ended ${pid}`),
    startFailed: (error: Error) => void heard.push(`failed: ${error.message}`),
    restarted: (pid: number) => void heard.push(`restarted ${pid}`),
  };
  const server = await SupervisedPostgres.start({ dataDir: join(root, name), observer, ...options });
  cleanUps.push(() => server.stop());
  const { pid = 0 } = server;
  return { server, pid, heard, data: join(root, name, 'data') };
}

/** A session, with the process id of its backend. */
async function session({ url }: SupervisedPostgres) {
  const { hosts, user, password, database } = parseDatabaseUrl(url);
  const client = new pg.Client({ ...hosts[0], user, password, database });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  return { client, backend: rows[0].pid as number };
}

const another = (server: SupervisedPostgres, before: number) =>
  vi.waitUntil(() => server.pid !== undefined && server.pid !== before, { timeout: 20_000 });

async function create(store: PostgresStore, type: number, name: string): Promise<string> {
  const body = Buffer.from('{}');
  const write = { op: 'create', type, namespace: '', name, uid: 'u', body, requireNamespace: false } as const;
  return (await store.write(write)).outcome;
}

describe('a supervised PostgreSQL', () => {
  it('is started again when its postmaster was killed, with all that was committed', async () => {
    const { server, pid, heard } = await supervise('killed');
    const store = await openStore({ url: server.url, naming: 'orch' });
    cleanUps.push(() => store.close());
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    expect(await create(store, type, 'before')).toBe('committed');
    process.kill(pid, 'SIGKILL');
    await another(server, pid);
    expect(heard).toEqual([`ended ${pid}`, `restarted ${server.pid}`]);
    await vi.waitFor(async () => expect(await create(store, type, 'after')).toBe('committed'), { timeout: 10_000 });
    expect(await store.get(type, { namespace: '', name: 'before' })).toMatchObject({ uid: 'u' });
  });

  it('does not wait for what a killed postmaster leaves behind: a backend that is stopped would hold its memory for ever', async () => {
    const { server, pid } = await supervise('orphans');
    const { backend } = await session(server);
    process.kill(backend, 'SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await another(server, pid);
    expect(isAlive(backend)).toBe(false);
    const { client } = await session(server);
    await client.end();
  });

  it('is not doubled while it is slow to stop', async () => {
    const { server, pid, heard, data } = await supervise('slow');
    const { backend } = await session(server);
    // Somebody else asks it to end, and one of its sessions takes its time.
    process.kill(backend, 'SIGSTOP');
    process.kill(pid, 'SIGINT');
    await vi.waitFor(async () => {
      expect((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[7]).toMatch(/stopping/);
    });
    await expect(startEmbeddedPostgres({ dataDir: join(root, 'slow') })).rejects.toThrow('another server uses');
    expect(heard).toEqual([]);
    expect(server.pid).toBe(pid);
    process.kill(backend, 'SIGCONT');
    await another(server, pid);
    expect(isAlive(pid)).toBe(false);
  });

  it('is given up, with the reason, when it cannot be started for long enough', async () => {
    const { server, pid, heard, data } = await supervise('broken', { restartTimeout: 1_000, firstPause: 50 });
    const control = join(data, 'global', 'pg_control');
    await rename(control, `${control}.away`);
    process.kill(pid, 'SIGKILL');
    expect((await server.givenUp).message).toMatch(/PostgreSQL ended at once.*see .*postgres\.log/s);
    expect(server.pid).toBeUndefined();
    expect(heard.filter((line) => line.startsWith('failed')).length).toBeGreaterThan(1);
    await rename(`${control}.away`, control);
    await server.stop();
    await (await startEmbeddedPostgres({ dataDir: join(root, 'broken') })).stop();
  });

  it('goes on by itself once what hindered it is gone', async () => {
    const { server, pid, heard, data } = await supervise('mended', { firstPause: 50 });
    const control = join(data, 'global', 'pg_control');
    await rename(control, `${control}.away`);
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => heard.filter((line) => line.startsWith('failed')).length > 2, { timeout: 20_000 });
    await rename(`${control}.away`, control);
    await another(server, pid);
  });

  it('stops at once while it is away, and leaves its folder to others', async () => {
    const { server, pid, heard, data } = await supervise('stopped', { firstPause: 50 });
    const control = join(data, 'global', 'pg_control');
    await rename(control, `${control}.away`);
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => heard.some((line) => line.startsWith('failed')), { timeout: 20_000 });
    const began = performance.now();
    await server.stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    await rename(`${control}.away`, control);
    await (await startEmbeddedPostgres({ dataDir: join(root, 'stopped') })).stop();
  });

  it('is stopped also while a further start is under way', async () => {
    const { server, pid, data } = await supervise('starting', { firstPause: 0 });
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => !isAlive(pid));
    await server.stop();
    const left = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
    expect(left === '' || !isAlive(Number(left.split('\n')[0]))).toBe(true);
    await (await startEmbeddedPostgres({ dataDir: join(root, 'starting') })).stop();
  });

  it.each(['of its own', 'that another process has left behind'])(
    'is stopped by a process that has nothing else to do, one %s',
    async (which) => {
      const dataDir = join(root, which);
      if (which !== 'of its own') {
        const starter = run(dataDir, "process.kill(process.pid, 'SIGKILL')");
        expect(await once(starter, 'exit')).toEqual([null, 'SIGKILL']);
      }
      const stopping = run(dataDir, 'await server.stop()');
      // 13 is that of a process that had nothing to wait by any more.
      expect(await once(stopping, 'exit')).toEqual([0, null]);
    },
  );
});

/** Another process, which starts the server of a folder and does something with it. */
function run(dataDir: string, act: string) {
  const module = new URL('./index.ts', import.meta.url).href;
  const script = `import { SupervisedPostgres } from ${JSON.stringify(module)};
    const server = await SupervisedPostgres.start({ dataDir: ${JSON.stringify(dataDir)} });
    ${act};`;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: 'inherit' });
}

describe('isAlive', () => {
  it('is false of a process that has ended and that nobody has reaped', async () => {
    // The shell becomes a program that never waits for the child that it has.
    const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [output] = await once(parent.stdout, 'data');
    await vi.waitUntil(() => !isAlive(Number(output)));
    parent.kill('SIGKILL');
  });
});
