import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemdNotify } from '@orch/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { descendants, which } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { startStandalone } from '../support/standalone.js';

const UNIT = fileURLToPath(new URL('../../deploy/systemd/orch.service', import.meta.url));
const RECEIVER = fileURLToPath(new URL('./notify-receiver.py', import.meta.url));
const POLL = { timeout: 30_000, interval: 10 };

let dir: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'orch-systemd-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Listens as systemd does; resolves with the messages that have come, which grow. */
async function receive(address: string): Promise<string[][]> {
  const receiver = spawn('python3', [RECEIVER, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(receiver);
  const messages: string[][] = [];
  const lines = createInterface(receiver.stdout);
  await once(lines, 'line');
  lines.on('line', (line) => messages.push(JSON.parse(line)));
  return messages;
}

const holding = (messages: readonly string[][], line: string) => messages.filter((message) => message.includes(line));

test('orch standalone tells systemd that it is ready when /readyz says so, that it lives, and that it ends', async () => {
  const socket = join(dir, 'notify');
  const messages = await receive(socket);
  vi.stubEnv('NOTIFY_SOCKET', socket);
  vi.stubEnv('WATCHDOG_USEC', '200000');
  const server = await startStandalone();
  vi.unstubAllEnvs();
  const api = new Api(server);
  await expect.poll(() => holding(messages, 'READY=1'), POLL).toEqual([['READY=1', `STATUS=Serving on ${server.url}`]]);
  expect((await api.get('/readyz')).status).toBe(200);
  api.close();
  const before = holding(messages, 'WATCHDOG=1').length;
  await expect.poll(() => holding(messages, 'WATCHDOG=1').length, POLL).toBeGreaterThan(before + 2);
  // What it starts does not speak for it.
  for (const pid of descendants(server.process.pid)) expect(environmentOf(pid)).not.toContain('NOTIFY_SOCKET=');
  await server.stop();
  expect(server.process.exitCode).toBe(0);
  await expect.poll(() => holding(messages, 'STOPPING=1'), POLL).toHaveLength(1);
  const told = messages.flat().filter((line) => /^(READY|STOPPING|STATUS)=/.test(line));
  const ends = ['READY=1', `STATUS=Serving on ${server.url}`, 'STOPPING=1', 'STATUS=Shutting down'];
  expect(told).toEqual(['STATUS=Starting', ...ends]);
});

/** Returns the environment of a process, which may have ended or be systemd-notify. */
function environmentOf(pid: number): string {
  try {
    const isSender = readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('systemd-notify') || isNode(pid);
    return isSender ? '' : readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** A child between fork and exec. */
const isNode = (pid: number): boolean => readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('node');

test('a process whose event loop stands still gives no sign of life', async () => {
  const socket = join(dir, 'stuck');
  const messages = await receive(socket);
  const runtime = fileURLToPath(new URL('../../libs/runtime/dist/index.js', import.meta.url));
  const script = `import { ServiceManager } from ${JSON.stringify(runtime)};
    ServiceManager.take(process.env);
    process.stdin.once('data', () => { process.stdout.write('stuck'); for (;;); });`;
  const env = { ...process.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '40000' };
  const stuck = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(stuck);
  await expect.poll(() => holding(messages, 'WATCHDOG=1').length, POLL).toBeGreaterThan(3);
  stuck.stdin.write('x');
  await once(stuck.stdout, 'data');
  const then = messages.length;
  // That nothing comes takes time to see: there would be some twenty. One may be on its way.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(messages.length - then).toBeLessThanOrEqual(1);
});

test('an abstract socket is reached, and one that is not there is told of', async () => {
  const address = `@orch-systemd-${process.pid}`;
  const messages = await receive(address);
  await systemdNotify(address, ['READY=1', 'STATUS=a b = c']);
  await expect.poll(() => holding(messages, 'READY=1'), POLL).toEqual([['READY=1', 'STATUS=a b = c']]);
  await expect(systemdNotify(join(dir, 'nobody'), ['READY=1'])).rejects.toThrow('systemd-notify ended with 1');
});

describe('deploy/systemd', () => {
  test.skipIf(which('systemd-analyze') === undefined)('is a unit that systemd takes, and that is confined', () => {
    const unit = join(dir, 'orch.service');
    writeFileSync(unit, readFileSync(UNIT, 'utf8').replace('/usr/local/bin/orch', process.execPath));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
    const args = ['security', '--offline=true', '--threshold=25', '--no-pager', unit];
    expect(execFileSync('systemd-analyze', args, { encoding: 'utf8' })).toContain('Overall exposure level');
  });
});
