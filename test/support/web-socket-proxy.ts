import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:tls';
import type { ApiSettings } from './api.js';

/** A proxy that knows HTTP/1.1 and WebSockets, and no other protocol. */
export interface WebSocketProxy {
  readonly url: string;
  /** Values of `Upgrade` so far, refused ones included. */
  readonly upgrades: string[];
  /** Closes all connections and takes no more. */
  stop(): Promise<void>;
}

/** Starts one on plain HTTP in front of a server, to which it adds the credentials. */
export async function startWebSocketProxy({ url, ca, token }: ApiSettings): Promise<WebSocketProxy> {
  const { hostname, port } = new URL(url);
  const headersOf = ({ headers }: IncomingMessage) => ({ ...headers, authorization: `Bearer ${token}` });
  const sockets = new Set<Socket>();
  const upgrades: string[] = [];
  const server = createServer((req, res) => {
    const asked = request(`${url}${req.url}`, { method: req.method, headers: headersOf(req), ca }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    asked.on('error', () => res.destroy());
    req.pipe(asked);
  });
  server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  server.on('upgrade', (req, client: Socket, head) => {
    upgrades.push(req.headers.upgrade ?? '');
    if (req.headers.upgrade !== 'websocket')
      return void client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
    const other = connect({ host: hostname, port: Number(port), ...(ca !== undefined && { ca }) });
    const lines = Object.entries(headersOf(req)).map(([name, value]) => `${name}: ${value}\r\n`);
    other.write(`${req.method} ${req.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    other.write(head);
    client.pipe(other).pipe(client);
    for (const [one, another] of [
      [client, other],
      [other, client],
    ] as const)
      one.on('error', () => undefined).once('close', () => another.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upgrades,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
