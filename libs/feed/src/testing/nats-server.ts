import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Path of a nats-server; without one there is nothing to test against. */
const SERVER = process.env.NATS_SERVER ?? 'nats-server';
export const available = spawnSync(SERVER, ['--version']).status === 0;

/** What undoes what a test began. */
export const stops: (() => Promise<void> | void)[] = [];

/** For `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A directory for the time of a test. */
export function testDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'feed-'));
  stops.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Starts a server, with JetStream unless a configuration says otherwise; resolves when it says that it is ready. */
export async function startServer(port: number, configuration?: string): Promise<ChildProcess> {
  const directory = testDirectory();
  const file = join(directory, 'nats.conf');
  writeFileSync(file, configuration ?? `jetstream { store_dir: "${directory}" }`);
  const server = spawn(SERVER, ['-c', file, '-a', '127.0.0.1', '-p', `${port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  stops.push(() => kill(server));
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error(`the server did not start: ${log}`)));
    server.stderr.on('data', (text: Buffer) => {
      log += text;
      if (log.includes('Server is ready')) resolve();
    });
  });
  return server;
}

export async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await exited;
}

/** A way to a server that can be shut, which also cuts the connections that go through. */
export async function openGate(target: number) {
  let shut = false;
  const sockets = new Set<Socket>();
  const gate = createServer((client) => {
    if (shut) return void client.destroy();
    const server = createConnection(target, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.once('close', () => to.destroy());
      from.pipe(to);
    }
  });
  const { port } = await new Promise<AddressInfo>((resolve) => {
    gate.listen(0, '127.0.0.1', () => resolve(gate.address() as AddressInfo));
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  stops.push(() => {
    cut();
    gate.close();
  });
  return {
    port,
    shut() {
      shut = true;
      cut();
    },
    open() {
      shut = false;
    },
  };
}
