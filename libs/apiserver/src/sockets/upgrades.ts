import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ApiListener } from '../chain/listener.js';
import { wantsWebSocket } from './web-socket-request.js';

/** How long a refused handshake may take to be read. */
const LINGER_MS = 10_000;

/**
 * Sends requests that want a WebSocket down the one chain of requests. All other wishes for another protocol are passed
 * over, as RFC 9110 section 7.8 allows.
 */
export function acceptUpgrades(server: Pick<Server, 'on' | 'emit'>, listener: ApiListener): void {
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!wantsWebSocket(req)) return rejoin(server, req, socket, head);
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    // Node's server has let go of the connection, and of saying so.
    socket.on('drain', () => res.emit('drain'));
    res.once('finish', () => {
      socket.setTimeout(LINGER_MS, () => socket.destroy());
      socket.destroySoon();
    });
    socket.on('error', () => socket.destroy());
    listener(req, res, { socket, head });
  });
}

const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** Puts a request back before its connection without the wish to leave HTTP/1.1, to be read as any other. */
function rejoin(server: Pick<Server, 'emit'>, req: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = req.rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (UPGRADE_HEADERS.has(lower)) continue;
    const options = value.split(',').filter((option) => !UPGRADE_HEADERS.has(option.trim().toLowerCase()));
    lines.push(`${name}: ${lower === 'connection' ? options.join(',') : value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}
