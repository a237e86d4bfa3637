import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Change } from '@orch/storage';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnnouncedChange, ChangeBus } from './feed.js';
import { jetStreamBus } from './jetstream-bus.js';

/** Path of a nats-server; without one there is nothing to test against. */
const SERVER = process.env.NATS_SERVER ?? 'nats-server';
const available = spawnSync(SERVER, ['--version']).status === 0;

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Starts a server; resolves when it says that it is ready. */
async function startServer(port: number): Promise<ChildProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'feed-'));
  const server = spawn(SERVER, ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', directory], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  stops.push(async () => {
    await kill(server);
    rmSync(directory, { recursive: true, force: true });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error('the server did not start')));
    server.stderr.on('data', (text: Buffer) => {
      if (text.includes('Server is ready')) resolve();
    });
  });
  return server;
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await exited;
}

function openBus(port: number, dropped?: (changes: number) => void): ChangeBus {
  const bus = jetStreamBus({
    servers: [`127.0.0.1:${port}`],
    subjectPrefix: 'test',
    streamName: 'test-changes',
    reconnectWait: 20,
    ...(dropped === undefined ? {} : { onDropped: dropped }),
  });
  stops.push(() => bus.close());
  return bus;
}

function connected(bus: ChangeBus): Promise<void> {
  return new Promise((resolve) => {
    const stop = bus.onConnected(() => {
      stop();
      resolve();
    });
  });
}

function change(version: bigint, body = '{}', type = 5): Change {
  const body_ = Buffer.from(body);
  return {
    type,
    version,
    previous: version - 1n,
    op: 'create',
    namespace: 'a',
    name: 'b',
    uid: 'u',
    storedVersion: '',
    body: body_,
    at: 1,
  };
}

/** What a bus brings of a type, and a promise for the moment when a version has come. */
function listen(bus: ChangeBus, type = 5) {
  const heard: AnnouncedChange[] = [];
  const waiting: { version: bigint; resolve: () => void }[] = [];
  bus.subscribe(type, (changes) => {
    heard.push(...changes);
    for (const { version, resolve } of waiting) if (heard.some((each) => each.version === version)) resolve();
  });
  return { heard, until: (version: bigint) => new Promise<void>((resolve) => waiting.push({ version, resolve })) };
}

describe.skipIf(!available)('jetStreamBus', () => {
  it('brings what is published on one to who listens on another', async () => {
    const port = await freePort();
    await startServer(port);
    const [from, to] = [openBus(port), openBus(port)];
    await Promise.all([connected(from), connected(to)]);
    const { heard, until } = listen(to);
    const others = listen(to, 6);
    // The subscription is in place once the server has answered on the same connection.
    const first = until(1n);
    to.publish([change(1n)]);
    await first;
    const last = Promise.all([until(3n), others.until(4n)]);
    from.publish([change(2n), change(3n), change(4n, '{}', 6)]);
    await last;
    expect(heard).toEqual([change(1n), change(2n), change(3n)]);
    expect(others.heard).toEqual([change(4n, '{}', 6)]);
    expect(from.healthy()).toBe(true);
  });

  it('leaves a body behind that the server would refuse', async () => {
    const port = await freePort();
    await startServer(port);
    const bus = openBus(port);
    await connected(bus);
    const { heard, until } = listen(bus);
    const done = until(2n);
    bus.publish([change(1n, 'x'.repeat(2 << 20)), change(2n)]);
    await done;
    expect(heard.map(({ version, bodyOmitted }) => [version, bodyOmitted])).toEqual([
      [1n, true],
      [2n, undefined],
    ]);
  });

  it('makes the stream, in which a repeat is dropped', async () => {
    const port = await freePort();
    await startServer(port);
    const bus = openBus(port);
    await connected(bus);
    const connection = await connect({ servers: `127.0.0.1:${port}` });
    stops.push(() => connection.close());
    const manager = await jetstreamManager(connection);
    const info = () => manager.streams.info('test-changes').catch(() => undefined);
    while ((await info()) === undefined);
    const { until } = listen(bus);
    for (const version of [1n, 1n, 2n]) {
      const heard = until(version);
      bus.publish([change(version)]);
      await heard;
    }
    let messages = 0;
    while (messages < 2) messages = (await info())?.state.messages ?? 0;
    expect(messages).toBe(2);
  });

  it('connects when the server comes, drops meanwhile, and is back after a restart', async () => {
    const port = await freePort();
    let dropped = 0;
    const bus = openBus(port, (changes) => {
      dropped += changes;
    });
    const { until } = listen(bus);
    bus.publish([change(1n)]);
    expect(dropped).toBe(1);
    expect(bus.healthy()).toBe(false);
    const up = connected(bus);
    const server = await startServer(port);
    await up;
    const second = until(2n);
    bus.publish([change(2n)]);
    await second;
    const again = connected(bus);
    await kill(server);
    await startServer(port);
    await again;
    const third = until(3n);
    bus.publish([change(3n)]);
    await third;
    expect(bus.healthy()).toBe(true);
  });

  it('closes while it is still trying to connect', async () => {
    const bus = openBus(await freePort());
    await bus.close();
    expect(bus.healthy()).toBe(false);
  });
});
