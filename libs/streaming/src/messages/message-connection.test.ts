import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MessageConnection } from './message-connection.js';

const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
const IDLE_MS = 3_600_000;
/** A close frame of a client, with the code 1000. */
const CLOSE = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
/** The beginning of a message that is longer than a client may send. */
const TOO_LONG = Buffer.from([0x82, 0xfe, 0xff, 0xff, 0, 0, 0, 0]);

let server: Server;
let client: Socket;
let messages: MessageConnection | undefined;
let socket: Socket;
const closed = vi.fn();

beforeEach(async () => {
  closed.mockClear();
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  server.on('upgrade', (req, own: Socket, head) => {
    socket = own;
    const request = { req, client: { socket, head }, maxMessage: 1024, idleMs: IDLE_MS };
    messages = MessageConnection.accept(request, undefined, { message: () => undefined, closed });
  });
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined).write(HANDSHAKE);
  await once(client, 'data');
});

afterEach(() => {
  vi.useRealTimers();
  client.destroy();
  server.close();
});

/** Advances the clock until just before a time, and to it. */
async function lasts(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(socket.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(socket.destroyed).toBe(true);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  expect(vi.getTimerCount()).toBe(0);
}

it('waits as long as a session may be silent for a client to read what is left behind the end', async () => {
  messages?.close();
  await lasts(IDLE_MS);
});

it('waits 10 s for a client that has broken the rules of its messages', async () => {
  messages?.refuse('no');
  await lasts(10_000);
});

it('waits 10 s for a client that has broken the rules of the protocol', async () => {
  client.write(TOO_LONG);
  // The close frame with the code 1009.
  await once(client, 'data');
  await lasts(10_000);
});

it('cuts a client that says that it closes, and does not, by the next sign of life', async () => {
  client.write(CLOSE);
  await once(client, 'data');
  await lasts(30_000);
});

it('goes on otherwise, with signs of life', async () => {
  const sign = once(client, 'data');
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await sign)[0]).toEqual(Buffer.from([0x8a, 0]));
  client.end();
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  expect(vi.getTimerCount()).toBe(0);
});
