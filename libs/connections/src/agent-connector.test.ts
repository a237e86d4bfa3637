import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { RequestContext } from '@orch/serving';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentConnector } from './agent-connector.js';

const listening = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

let backend: Server;
let port: number;
const connections: Socket[] = [];

beforeEach(async () => {
  connections.length = 0;
  backend = createTcpServer((socket) => {
    connections.push(socket.on('error', () => undefined));
  });
  port = await listening(backend);
});

afterEach(async () => {
  for (const socket of connections) socket.destroy();
  backend.close();
  await once(backend, 'close');
});

const connector = new AgentConnector({
  credentials: () => ({ client: undefined, ca: undefined }),
  connections: { keep: () => undefined },
  connectMs: 0,
  allows: () => true,
});

/** Sends a request to the backend once its client has left; the answer, or the error. */
async function sentLate(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  await once(res, 'close');
  const ctx = { req, res } as RequestContext;
  const place = { serves: 'pod', secure: false, host: '127.0.0.1', port, path: '/' } as const;
  return connector.send(ctx, place, { method: 'GET', headers: {}, body: undefined }).catch((error: unknown) => error);
}

it.each([1, 2])('asks nobody for a client that has left, over HTTP/%i', async (version) => {
  let sent: Promise<unknown> | undefined;
  const arrived = (leave: () => void) => (req: unknown, res: unknown) => {
    sent = sentLate(req as IncomingMessage, res as ServerResponse);
    leave();
  };
  let leave: () => void = () => undefined;
  const handler = arrived(() => leave());
  const server = version === 1 ? createServer(handler) : createHttp2Server(handler);
  const url = `http://127.0.0.1:${await listening(server)}`;
  if (version === 1) {
    const asking = request(url).on('error', () => undefined);
    leave = () => asking.destroy();
    asking.end();
  } else {
    const session = connectHttp2(url).on('error', () => undefined);
    const stream = session.request().on('error', () => undefined);
    leave = () => stream.close(8);
    stream.once('close', () => session.destroy());
  }
  await expect.poll(() => sent !== undefined).toBe(true);
  const outcome = Promise.race([sent, once(backend, 'connection')]);
  expect(await outcome).toMatchObject({ message: 'the client is gone' });
  expect(connections).toHaveLength(0);
  server.close();
});

/** Sends a request for a client that waits; the status of the answer, or the code of the error. */
async function sent(serves: 'agent' | 'pod', secure = false): Promise<unknown> {
  const server = createServer();
  const client = request(`http://127.0.0.1:${await listening(server)}`).on('error', () => undefined);
  client.end();
  const [req, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const place = { serves, secure, host: '127.0.0.1', port, path: '/' } as const;
  const headers = { host: 'elsewhere.example' };
  try {
    const about = { method: 'GET', headers, body: undefined };
    const { message } = await connector.send({ req, res } as RequestContext, place, about);
    return message.statusCode;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    res.end();
    server.close();
  }
}

it.each([
  ['pod', 60, 200],
  ['pod', 70, 'HPE_HEADER_OVERFLOW'],
  ['agent', 500, 200],
  ['agent', 520, 'HPE_HEADER_OVERFLOW'],
] as const)('a head of the %s of %i KiB', async (serves, kib, outcome) => {
  backend.on('connection', (socket: Socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ${'x'.repeat(kib << 10)}\r\n\r\n`);
  });
  expect(await sent(serves)).toBe(outcome);
});

it('names the server that it connects to in the handshake of TLS, not the host of the client', async () => {
  const greeting = new Promise<Buffer>((resolve) => {
    backend.once('connection', (socket: Socket) => {
      socket.once('data', (bytes: Buffer) => {
        socket.destroy();
        resolve(bytes);
      });
    });
  });
  await sent('pod', true);
  expect((await greeting).includes('elsewhere.example')).toBe(false);
});
