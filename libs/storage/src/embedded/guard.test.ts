import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let data: string;
let server: ChildProcess;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'guard-'));
  server = spawn('sleep', ['60']);
});
afterEach(async () => {
  server.kill('SIGKILL');
  await rm(data, { recursive: true });
});

/** A process that guards the server, until it is killed. @param more is run there */
async function starter(more = ''): Promise<ChildProcess> {
  const script = `import { guardServer } from ${JSON.stringify(new URL('./guard.ts', import.meta.url).href)};
    const guard = guardServer(${server.pid}, ${JSON.stringify(data)}, { spawnAs: {} });
    ${more}
    console.log('ready'); setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

const running = () => execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' });
const guard = () => ` postgres-guard ${server.pid}\n`;
/** Whether the guard waits before it looks at the lock again. */
function sleeping(): boolean {
  const processes = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const pid = processes
    .find((line) => `${line}\n`.endsWith(guard()))
    ?.trim()
    .split(/ +/)[0];
  return processes.some((line) => new RegExp(`^ *\\d+ +${pid} +sleep 1$`).test(line));
}

it('ends the server of a process that was killed', async () => {
  await writeFile(join(data, 'postmaster.pid'), `${server.pid}\n${data}\n`);
  const gone = once(server, 'exit');
  (await starter()).kill('SIGKILL');
  expect(await gone).toEqual([null, 'SIGINT']);
});

it.each([
  ['was not there', undefined],
  ['was empty', ''],
])('ends the server whose lock %s when its process was killed', async (_, lock) => {
  const file = join(data, 'postmaster.pid');
  if (lock !== undefined) await writeFile(file, lock);
  const gone = once(server, 'exit');
  const child = await starter();
  const looked = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await looked;
  await vi.waitFor(() => expect(sleeping()).toBe(true), { timeout: 10_000 });
  await writeFile(file, `${server.pid}\n${data}\n`);
  expect(await gone).toEqual([null, 'SIGINT']);
});

it('does not look for the lock of a server that is gone', async () => {
  const child = await starter();
  server.kill('SIGKILL');
  await once(server, 'exit');
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(running()).not.toContain(guard()), { timeout: 5_000 });
});

it.each([
  ['whose lock names another process', `2147483647\n`, ''],
  ['whose lock does not come', undefined, ''],
  ['from which it was released', 'own', 'guard.release();'],
])('leaves a server alone %s', async (_, lock, more) => {
  if (lock !== undefined) await writeFile(join(data, 'postmaster.pid'), lock === 'own' ? `${server.pid}\n` : lock);
  const child = await starter(more);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(running()).not.toContain(guard()), { timeout: 40_000 });
  expect([server.exitCode, server.signalCode]).toEqual([null, null]);
});
