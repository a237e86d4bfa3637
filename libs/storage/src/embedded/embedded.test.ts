import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStore } from '../postgres-store.js';
import { findIdentity } from './identity.js';
import { findEmbeddedPostgres, SupervisedPostgres, startEmbeddedPostgres } from './index.js';
import { isAlive, readPostmaster } from './postmaster.js';

let root: string;
beforeAll(async () => {
  // Mode 0700: as root the server runs as another user, who cannot come by.
  root = await mkdtemp(join(tmpdir(), 'embedded-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('embedded PostgreSQL', () => {
  it('keeps its data and password over restarts, starts fast, and is private', async () => {
    const dataDir = join(root, 'restart');
    const first = await startEmbeddedPostgres({ dataDir });
    const store = await openStore({ url: first.url, naming: 'orch' });
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    await store.write({
      op: 'create',
      type,
      namespace: '',
      name: 'a',
      uid: 'u',
      body: Buffer.from('{}'),
      requireNamespace: false,
    });
    await store.close();
    await first.stop();
    await first.exited;
    const begin = performance.now();
    const second = await startEmbeddedPostgres({ dataDir });
    expect(performance.now() - begin).toBeLessThan(15_000);
    expect(second.url).toBe(first.url);
    const again = await openStore({ url: second.url, naming: 'orch' });
    expect((await again.get(type, { namespace: '', name: 'a' }))?.uid).toBe('u');
    await again.close();
    await second.stop();
    for (const file of ['password', 'data']) expect((await stat(join(dataDir, file))).mode & 0o077).toBe(0);
  });

  it('refuses a folder that another server uses, whose database it does not touch', async () => {
    const dataDir = join(root, 'used');
    const { starter, pid } = await startElsewhere(dataDir);
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(`another server uses ${dataDir}`);
    process.kill(pid, 0);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    const own = await startEmbeddedPostgres({ dataDir });
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('another server uses');
    await own.stop();
    await (await startEmbeddedPostgres({ dataDir })).stop();
  });

  it('is found by others while it runs, and not before or afterwards', async () => {
    const dataDir = join(root, 'found');
    await expect(findEmbeddedPostgres(dataDir)).rejects.toThrow();
    const server = await startEmbeddedPostgres({ dataDir });
    expect(await findEmbeddedPostgres(dataDir)).toBe(server.url);
    await server.stop();
    await expect(findEmbeddedPostgres(dataDir)).rejects.toThrow('no PostgreSQL runs on');
  });

  it('ends an initdb that was left behind, which would go on writing where the next one does', async () => {
    const dataDir = join(root, 'half');
    const fresh = join(dataDir, 'data.new');
    await mkdir(fresh, { recursive: true });
    const program = join(root, 'initdb');
    await copyFile('/bin/sleep', program);
    const left = spawn(program, ['60'], { cwd: fresh });
    await once(left, 'spawn');
    const ending = once(left, 'exit');
    await (await startEmbeddedPostgres({ dataDir })).stop();
    expect(await ending).toEqual([null, 'SIGQUIT']);
  });

  it('whose start is broken off leaves nothing running, and starts later', async () => {
    const dataDir = join(root, 'broken-off');
    const start = (ending: AbortSignal) => SupervisedPostgres.start({ dataDir }, ending);
    await expect(start(AbortSignal.abort())).rejects.toThrow('it was broken off');
    await (await startEmbeddedPostgres({ dataDir })).stop();
    await expect(start(AbortSignal.abort())).rejects.toThrow('did not become ready');
    await (await startEmbeddedPostgres({ dataDir })).stop();
  });

  it('lets one of several that start at once on a new folder have it', async () => {
    const dataDir = join(root, 'race');
    const starts = await Promise.allSettled(Array.from({ length: 4 }, () => startEmbeddedPostgres({ dataDir })));
    const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    expect(started).toHaveLength(1);
    await started[0]?.stop();
  });

  it('ends by itself when its starter is killed', async () => {
    const dataDir = join(root, 'orphan');
    const { starter, pid } = await startElsewhere(dataDir);
    starter.kill('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 });
    // In order: nothing is to be recovered.
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\s*$/);
  });

  it('is stopped by the next start where nobody has stood by for the end of its starter', async () => {
    const dataDir = join(root, 'unguarded');
    const { starter, pid } = await startElsewhere(dataDir);
    for (const guard of guardsOf(pid)) process.kill(guard, 'SIGKILL');
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    const next = await startEmbeddedPostgres({ dataDir });
    expect([next.pid === pid, isAlive(pid)]).toEqual([false, false]);
    await next.stop();
  });

  it('leaves nobody standing by once it was stopped, or has ended', async () => {
    const dataDir = join(root, 'unguarded-after');
    for (const end of ['stop', 'kill']) {
      const server = await startEmbeddedPostgres({ dataDir });
      expect(guardsOf(server.pid)).toHaveLength(1);
      if (end === 'stop') await server.stop();
      else process.kill(server.pid, 'SIGKILL');
      await server.exited;
      await vi.waitFor(() => expect(guardsOf(server.pid)).toEqual([]), { timeout: 10_000 });
    }
  });

  it('ends with a starter that exits without stopping it', async () => {
    const { starter, pid } = await startElsewhere(join(root, 'hasty'), "process.on('SIGTERM', () => process.exit(1));");
    starter.kill('SIGTERM');
    await once(starter, 'exit');
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 20_000 });
  });

  it('recovers from a postmaster that was killed', async () => {
    const dataDir = join(root, 'killed');
    const first = await startEmbeddedPostgres({ dataDir });
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const second = await startEmbeddedPostgres({ dataDir });
    expect(second.pid).not.toBe(first.pid);
    await (await openStore({ url: second.url, naming: 'orch' })).close();
    await second.stop();
  });

  it('starts where the path is too long for a socket', async () => {
    const long = await startEmbeddedPostgres({ dataDir: join(root, 'x'.repeat(120)) });
    await (await openStore({ url: long.url, naming: 'orch' })).close();
    await long.stop();
  });

  it('says what is wrong when it cannot start', async () => {
    await expect(startEmbeddedPostgres({ dataDir: join(root, 'none'), binDir: '/nonexistent' })).rejects.toThrow(
      /nonexistent/,
    );
  });
});

describe('a lock that a server left behind', () => {
  const LOCKS = ['postmaster.pid', '.s.PGSQL.5432.lock'];

  /** What the locks say while a server runs; it has ended. */
  async function locksOf(dataDir: string): Promise<Record<string, string>> {
    const server = await startEmbeddedPostgres({ dataDir });
    const texts = await Promise.all(LOCKS.map((name) => readFile(join(dataDir, 'data', name), 'utf8')));
    await server.stop();
    return Object.fromEntries(LOCKS.map((name, i) => [name, texts[i] ?? '']));
  }

  it.each(LOCKS)('%s does not keep the next from starting', async (lock) => {
    const dataDir = join(root, `left ${lock}`);
    const { [lock]: text = '' } = await locksOf(dataDir);
    const { spawnAs } = await findIdentity(undefined);
    const other = spawn('sleep', ['60'], spawnAs);
    try {
      for (const left of [text.replace(/^\d+/, String(other.pid)), '']) {
        await writeFile(join(dataDir, 'data', lock), left);
        await (await startEmbeddedPostgres({ dataDir, startTimeout: 10_000 })).stop();
      }
      expect(other.signalCode).toBeNull();
    } finally {
      await ended(other);
    }
  });

  it('is left alone while somebody listens at the socket of the folder, whom nobody sees: in another container', async () => {
    const dataDir = join(root, 'hidden');
    const left = await locksOf(dataDir);
    const lock = join(dataDir, 'data', LOCKS[0] ?? '');
    const text = (left[LOCKS[0] ?? ''] ?? '').replace(/^\d+/, '2147483646');
    await writeFile(lock, text);
    const hidden = createServer().listen(join(dataDir, 'data', '.s.PGSQL.5432'));
    await once(hidden, 'listening');
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('not visible here');
    expect(await readFile(lock, 'utf8')).toBe(text);
    hidden.close();
    await once(hidden, 'close');
    await (await startEmbeddedPostgres({ dataDir })).stop();
  });

  it.each([
    ['a link', (lock: string) => symlink('/etc/hostname', lock)],
    ['a pipe that nobody writes to', async (lock: string) => void execFileSync('mkfifo', [lock])],
  ])('is not read where the user of the database has put %s there', async (what, put) => {
    const dataDir = join(root, `put ${what}`);
    await locksOf(dataDir);
    const lock = join(dataDir, 'data', '.s.PGSQL.5433.lock');
    await put(lock);
    await expect(startEmbeddedPostgres({ dataDir, startTimeout: 10_000 })).rejects.toThrow(/ELOOP|is not a file/);
    await rm(lock);
  });

  it('tells whose process it names', async () => {
    const data = join(root, 'named');
    await mkdir(data);
    const other = spawn('sleep', ['60'], { cwd: data });
    try {
      await writeFile(join(data, 'postmaster.pid'), `${other.pid}\n${data}\n`);
      expect(await readPostmaster(data)).toBe(other.pid);
      // As where it belongs to another user, after a crash of the machine.
      const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
        throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
      });
      expect(await readPostmaster(data)).toBeUndefined();
      kill.mockRestore();
    } finally {
      await ended(other);
    }
  });
});

/** Who stands by for the end of the starter of a server. */
const guardsOf = (pid: number): number[] =>
  execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.endsWith(` postgres-guard ${pid}`))
    .map((line) => Number.parseInt(line, 10));

async function ended(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

/** Starts it from another process, which goes on until a signal; `more` is run there as well. */
async function startElsewhere(dataDir: string, more = '') {
  const script = `import { findEmbeddedPostgres, startEmbeddedPostgres } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    ${more}
    console.log(server.pid); setInterval(() => undefined, 1000);`;
  const starter = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await once(starter.stdout, 'data');
  return { starter, pid: Number(output) };
}
