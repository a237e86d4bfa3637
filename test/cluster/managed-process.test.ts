import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  accepts,
  descendants,
  freePort,
  freePorts,
  isAlive,
  ManagedProcess,
  processStat,
} from '../../tools/up/index.js';

const SERVER = "require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1');";

let dir: string;
const started: ManagedProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orch-process-'));
});

afterEach(async () => {
  for (const process of started.splice(0)) if (process.running) await process.kill('SIGKILL');
  rmSync(dir, { recursive: true });
});

function serverOn(port: number, program = SERVER, childrenFollow = false): ManagedProcess {
  const server = new ManagedProcess({
    name: 'server',
    command: process.execPath,
    args: ['-e', program, String(port)],
    logFile: join(dir, 'server.log'),
    childrenFollow,
    ready: () => accepts(port),
  });
  started.push(server);
  return server;
}

test('a server is up when start resolves, and comes back on the same port', async () => {
  const port = await freePort();
  const server = serverOn(port);
  await server.start();
  const first = server.pid;
  await server.kill('SIGKILL');
  expect(server.running).toBe(false);
  expect(await accepts(port)).toBe(false);
  await server.start();
  expect(server.pid).not.toBe(first);
  expect(await accepts(port)).toBe(true);
});

test('one that ends before it serves makes start fail with what it wrote', async () => {
  const server = serverOn(await freePort(), 'console.error("no such option"); process.exit(3)');
  await expect(server.start()).rejects.toThrow(/no such option/);
  expect(server.running).toBe(false);
});

test('children are found, and a server whose children follow is gone when they are', async () => {
  const port = await freePort();
  // The child ends when the pipe to its parent breaks.
  const child = "process.stdin.resume().on('end', () => process.exit())";
  const spawning = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}]); ${SERVER}`;
  const server = serverOn(port, spawning, true);
  await server.start();
  const children = descendants(server.pid);
  expect(children).toHaveLength(1);
  expect(processStat(children[0] ?? 0)?.parent).toBe(server.pid);
  await server.kill('SIGKILL');
  expect(children.map(isAlive)).toEqual([false]);
});

test('stop ends a server in order, twice does no harm', async () => {
  const server = serverOn(await freePort());
  await server.start();
  const { pid } = server;
  await server.stop();
  await server.stop();
  expect(isAlive(pid)).toBe(false);
});

test('a stopped process answers nothing and goes on later', async () => {
  const port = await freePort();
  const server = serverOn(port);
  await server.start();
  await server.kill('SIGSTOP');
  expect(server.running).toBe(true);
  await server.kill('SIGCONT');
  expect(await accepts(port)).toBe(true);
});

test('free ports differ', async () => {
  expect(new Set(await freePorts(20)).size).toBe(20);
});
