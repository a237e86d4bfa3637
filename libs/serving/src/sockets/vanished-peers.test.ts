import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { connectionName, unansweredConnections } from './tcp-table.js';
import { VanishedPeers, type VanishedPeersSettings } from './vanished-peers.js';

const LOCALHOST = '127.0.0.1';
const TIMEOUT_MS = 30_000;
const CHECK_MS = TIMEOUT_MS / 3;

const clients: Socket[] = [];
let server: Server | undefined;
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server?.close();
});

/** A server with one client, of whose connection the kernel says what the test says. */
async function start(settings: Partial<VanishedPeersSettings> = {}) {
  const clock = new ManualClock();
  const onVanished = vi.fn();
  const onError = vi.fn();
  let attempts: number | Error = 0;
  let name = '';
  const unanswered = async function* () {
    if (attempts instanceof Error) throw attempts;
    if (attempts > 0) yield { name, attempts };
  };
  const vanished = new VanishedPeers({ clock, timeoutMs: TIMEOUT_MS, onVanished, onError, unanswered, ...settings });
  server = createServer();
  vanished.follow(server);
  await new Promise<void>((resolve) => server?.listen(0, LOCALHOST, resolve));
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(port, LOCALHOST);
  client.on('error', () => undefined);
  clients.push(client);
  const [connection] = await accepted;
  connection.on('error', () => undefined);
  name = connectionName(LOCALHOST, port, LOCALHOST, client.localPort ?? 0);
  const look = async (seen: number | Error) => {
    attempts = seen;
    await clock.advance(CHECK_MS);
  };
  return { clock, vanished, connection, onVanished, onError, look };
}

it('gives up a connection that has been silent for the time', async () => {
  const { connection, onVanished, look } = await start();
  for (const attempts of [3, 5, 6]) await look(attempts);
  expect(connection.destroyed).toBe(false);
  await look(6);
  expect(connection.destroyed).toBe(true);
  expect(onVanished).toHaveBeenCalledTimes(1);
});

it('begins anew with each answer', async () => {
  const { connection, look } = await start();
  for (const attempts of [3, 5, 6, 2, 5, 6]) await look(attempts);
  await look(0);
  for (const attempts of [6, 6, 6]) await look(attempts);
  expect(connection.destroyed).toBe(false);
  await look(6);
  expect(connection.destroyed).toBe(true);
});

it('gives up a connection that was opened from here, and tells whoever added it', async () => {
  const { connection, onVanished, vanished, look } = await start();
  const reported = vi.fn();
  vanished.add(connection, reported);
  for (let i = 0; i < 4; i++) await look(7);
  expect([connection.destroyed, reported.mock.calls.length, onVanished.mock.calls.length]).toEqual([true, 1, 0]);
});

it('takes a single attempt for one that was lost', async () => {
  const { connection, look } = await start();
  for (let i = 0; i < 10; i++) await look(1);
  expect(connection.destroyed).toBe(false);
});

it('goes on after a look that failed', async () => {
  const { connection, onError, look } = await start();
  await look(new Error('no descriptors left'));
  expect(onError).toHaveBeenCalledWith(new Error('no descriptors left'));
  for (let i = 0; i < 4; i++) await look(7);
  expect(connection.destroyed).toBe(true);
});

it('does nothing when it is off, or over', async () => {
  const off = await start({ timeoutMs: 0 });
  expect(off.clock.pending).toBe(0);
  const over = await start();
  over.vanished.stop();
  expect(over.clock.pending).toBe(0);
});

it('leaves a client that lives and does not read, by what the kernel says', async () => {
  let looks = 0;
  const unanswered = async function* () {
    yield* unansweredConnections();
    looks++;
  };
  const { connection, onVanished, onError, vanished, clock } = await start({ unanswered });
  connection.write(Buffer.alloc(8 << 20));
  clients[0]?.pause();
  await expect.poll(() => connection.writableLength).toBeGreaterThan(0);
  for (let look = 1; look <= 5; look++) {
    await clock.advance(CHECK_MS);
    await expect.poll(() => looks).toBe(look);
  }
  expect(onVanished).not.toHaveBeenCalled();
  expect(onError).not.toHaveBeenCalled();
  vanished.stop();
});
