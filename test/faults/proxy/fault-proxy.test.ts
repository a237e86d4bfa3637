import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../tools/up/index.js';
import { FaultProxy } from './fault-proxy.js';

let server: Server;
let accepted: Socket[];
let proxy: FaultProxy;
let open: Socket[];

beforeEach(async () => {
  accepted = [];
  open = [];
  server = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => socket.write(data));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await FaultProxy.open((server.address() as AddressInfo).port);
});

afterEach(async () => {
  for (const socket of [...open, ...accepted]) socket.destroy();
  await proxy.close();
  server.close();
});

/** A connection, with what it has received. */
async function dial() {
  const socket = connect({ host: '127.0.0.1', port: proxy.port });
  open.push(socket);
  const seen = { text: '', closed: false, error: '' };
  socket.on('data', (data) => {
    seen.text += data.toString('latin1');
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    seen.error = error.code ?? '';
  });
  socket.on('close', () => {
    seen.closed = true;
  });
  await once(socket, 'connect');
  return { socket, seen };
}
const soon = (what: string, check: () => boolean) => waitUntil(what, 15_000, check);

describe('a fault proxy', () => {
  test('hands bytes on, and an end', async () => {
    const { socket, seen } = await dial();
    socket.end('hello');
    await soon('the echo and the end', () => seen.text === 'hello' && seen.closed);
    await soon('the connection is forgotten', () => proxy.connections === 0);
  });

  test('holds one direction, then goes on where it stood', async () => {
    const { socket, seen } = await dial();
    proxy.set('toClient', { hold: true });
    socket.write('a');
    await soon('the server has it', () => accepted[0]?.bytesRead === 1);
    expect(seen.text).toBe('');
    proxy.heal();
    await soon('it has come', () => seen.text === 'a');
  });

  test('drops bytes, and resets what has lost some', async () => {
    const { socket, seen } = await dial();
    proxy.set('toServer', { drop: true });
    socket.write('lost');
    const other = await dial();
    proxy.heal();
    other.socket.write('kept');
    await soon('the other goes on', () => other.seen.text === 'kept');
    const lost = () => {
      if (!socket.destroyed) socket.write('x');
      return seen.closed;
    };
    await soon('the first is reset', lost);
    expect(seen.text).toBe('');
  });

  test('delays, limits the rate, flips bits, cuts after so many bytes', async () => {
    proxy.set('toServer', { delayMs: 60 });
    const first = await dial();
    const start = performance.now();
    first.socket.write('a');
    await soon('the echo', () => first.seen.text === 'a');
    expect(performance.now() - start).toBeGreaterThan(55);

    proxy.set('toServer', { bytesPerSecond: 1_000 });
    const again = performance.now();
    first.socket.write('b'.repeat(100));
    await soon('the echo', () => first.seen.text.length === 101);
    expect(performance.now() - again).toBeGreaterThan(95);

    proxy.heal();
    proxy.set('toClient', { flipOneIn: 3 });
    const second = await dial();
    second.socket.write('aaaaaaa');
    await soon('the echo', () => second.seen.text.length === 7);
    expect(second.seen.text).toBe('aa`aa`a');

    proxy.heal();
    proxy.set('toClient', { cutAfter: 5 });
    const third = await dial();
    third.socket.write('0123456789');
    await soon('the cut', () => third.seen.closed);
    expect(third.seen.text).toBe('01234');
  });

  test('resets both sides, refuses, and leaves one side half-open', async () => {
    const first = await dial();
    first.socket.write('a');
    await soon('the echo', () => first.seen.text === 'a');
    proxy.reset();
    await soon('both are gone', () => first.seen.closed && accepted[0]?.destroyed === true);

    const second = await dial();
    second.socket.write('a');
    await soon('the echo', () => second.seen.text === 'a');
    proxy.vanish('client');
    await soon('the client is gone', () => second.seen.closed);
    expect(accepted[1]?.destroyed).toBe(false);

    proxy.refuse(true);
    const third = connect({ host: '127.0.0.1', port: proxy.port });
    open.push(third);
    third.on('error', () => undefined);
    await soon('it is refused', () => third.destroyed);
  });
});
