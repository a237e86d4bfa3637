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

it('ends the server of a process that was killed', async () => {
  await writeFile(join(data, 'postmaster.pid'), `${server.pid}\n${data}\n`);
  const gone = once(server, 'exit');
  (await starter()).kill('SIGKILL');
  expect(await gone).toEqual([null, 'SIGINT']);
});

it.each([
  ['whose lock names another process', `2147483647\n`, ''],
  ['whose lock is gone', undefined, ''],
  ['from which it was released', 'own', 'guard.release();'],
])('leaves a server alone %s', async (_, lock, more) => {
  if (lock !== undefined) await writeFile(join(data, 'postmaster.pid'), lock === 'own' ? `${server.pid}\n` : lock);
  const child = await starter(more);
  child.kill('SIGKILL');
  const running = () => execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' });
  await vi.waitFor(() => expect(running()).not.toContain(` postgres-guard ${server.pid}\n`), { timeout: 10_000 });
  expect([server.exitCode, server.signalCode]).toEqual([null, null]);
});
