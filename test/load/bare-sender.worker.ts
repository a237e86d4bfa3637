import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { now } from './summary.js';
import { serve } from './worker.js';

export interface SenderSettings {
  /** PEM texts for TLS; plain TCP when absent. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Answers each request with a body of this many bytes; a stream without end when absent. */
  readonly bodyBytes?: number;
}

export interface SenderLoad {
  /** Bytes of each write, and how many writes each socket gets. */
  readonly writeBytes: number;
  readonly writes: number;
  /** Rounds of writes per second; as fast as the sockets take them when absent. */
  readonly rate?: number;
}

export interface SenderResult {
  readonly seconds: number;
  /** CPU time of the sender, in microseconds. */
  readonly cpuMicroseconds: number;
}

/** Size of the writes of a body. */
const PIECE = Buffer.alloc(128 * 1024, 120);

const sockets = new Set<Socket>();

/**
 * The physical limit: sends the same bytes to every socket and does nothing else. Resolves with its port. It answers
 * a request as a server of watches would, so that the same receivers count.
 */
async function listen({ tls, bodyBytes }: SenderSettings): Promise<number> {
  const accept = (socket: Socket) => {
    socket.setNoDelay(true);
    if (bodyBytes === undefined) socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    else socket.on('data', () => void sendBody(socket, bodyBytes));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    sockets.add(socket);
  };
  const server = tls ? createTlsServer(tls, accept) : createServer(accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP address');
  return address.port;
}

async function sendBody(socket: Socket, bytes: number): Promise<void> {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`);
  for (let left = bytes; left > 0; left -= PIECE.length) {
    if (!socket.write(PIECE.subarray(0, Math.min(left, PIECE.length)))) await once(socket, 'drain');
  }
}

/** Sends; each socket's next write waits for its drain, as a careful server's would. */
async function send({ writeBytes, writes, rate }: SenderLoad): Promise<SenderResult> {
  const buffer = Buffer.alloc(writeBytes, 120);
  buffer.write('}\n', Math.max(0, writeBytes - 2));
  const cpu = process.cpuUsage();
  const start = now();
  for (let round = 0; round < writes; round++) {
    // A pause lets caches go cold, as they do for a server that is written to so often.
    if (rate !== undefined) await pause(Math.max(0, start + (round * 1000) / rate - now()));
    const full: Promise<unknown>[] = [];
    for (const socket of sockets) {
      if (!socket.write(buffer)) full.push(once(socket, 'drain'));
    }
    if (full.length > 0) await Promise.all(full);
    else if (rate === undefined) await new Promise(setImmediate);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (now() - start) / 1000, cpuMicroseconds: user + system };
}

const methods = { listen, send };
export type SenderMethods = typeof methods;
serve(methods);
