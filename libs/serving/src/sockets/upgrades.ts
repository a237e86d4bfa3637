import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { ApiListener } from '../http/api-listener.js';
import { announcesBody } from '../http/read-body.js';
import { wantsWebSocket } from './web-socket-request.js';

/** Time for a client to read that its handshake was refused. */
const LINGER_MS = 10_000;

/** A connection as Node's server keeps it: with the response whose turn it is, if there is one. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Whether another handler decides which protocol a request switches to. */
export type TakesUpgrade = (req: IncomingMessage) => boolean;

/** First connection listener of a server, which is that of Node itself. */
type Read = (this: Server, socket: Socket) => void;

/**
 * Sends requests that want a WebSocket down the chain of requests, and those whose protocol another handler decides.
 * All other upgrade headers are ignored, as RFC 9110 section 7.8 allows.
 */
export function acceptUpgrades(server: Server, listener: ApiListener, takesUpgrade: TakesUpgrade = () => false): void {
  // Other listeners would take a connection that is given back for a new one, and track it once more with each upgrade
  // header.
  const [read] = server.listeners(server instanceof TlsServer ? 'secureConnection' : 'connection') as Read[];
  // Node 24.9 and later ask, and pass on connections whose body they still read: these are left to Node.
  Object.assign(server, { shouldUpgradeCallback: (req: IncomingMessage) => !announcesBody(req) });
  server.prependListener('request', endsBehindWish);
  server.on('upgrade', (req: IncomingMessage, socket: Connection, head: Buffer) => {
    onceAnswered(socket, () => {
      if (wantsWebSocket(req) || (mayLeaveHttp(req) && takesUpgrade(req))) takeOver(req, socket, head, listener);
      else {
        rejoin(req, socket, head);
        read?.call(server, socket);
      }
    });
  });
}

/**
 * Ends a connection behind a request with a body and an upgrade header. Its parser stops at the end of such a body, and
 * node drops further bytes: the next request as a whole, or the beginning of its head, and the rest would be parsed as
 * a request. So there must be none.
 */
function endsBehindWish(req: IncomingMessage, res: ServerResponse): void {
  if (req.httpVersionMajor === 1 && req.headers.upgrade !== undefined && announcesBody(req))
    res.shouldKeepAlive = false;
}

/**
 * Waits for the answers to the requests before this one: node's server passes a connection on while they are in
 * progress. One that ends with such an answer is not continued.
 */
function onceAnswered(socket: Connection, goOn: () => void): void {
  // Node's server has detached the connection, and no longer emits this.
  const drained = () => socket._httpMessage?.emit('drain');
  const failed = () => socket.destroy();
  socket.on('drain', drained).on('error', failed);
  const next = (): void => {
    if (socket.destroyed || socket.writableEnded) return;
    if (socket._httpMessage) return void socket._httpMessage.once('finish', next);
    socket.off('drain', drained).off('error', failed).setTimeout(0);
    goOn();
  };
  next();
}

/**
 * Whether a request may switch protocols: a body would have to be read first, and h2c only concerns this connection.
 */
const mayLeaveHttp = (req: IncomingMessage): boolean =>
  !announcesBody(req) && req.headers.upgrade?.toLowerCase() !== 'h2c';

/**
 * Passes CONNECT to the chain as any other unsupported method: Node's servers would cut its connection, or answer it
 * themselves.
 */
export function answerConnects(server: Server, listener: ApiListener): void {
  server.on('connect', (req: IncomingMessage, answering: Connection | Http2ServerResponse) => {
    // Over HTTP/2 it comes with its response, like every other request.
    if (answering instanceof Http2ServerResponse) listener(req, answering as unknown as ServerResponse);
    else onceAnswered(answering, () => listener(req, responseOn(req, answering)));
  });
}

/** Answers instead of Node's server. */
function takeOver(req: IncomingMessage, socket: Socket, head: Buffer, listener: ApiListener): void {
  listener(req, responseOn(req, socket), { socket, head });
}

/** Returns the last response on a connection that Node's server has detached. */
function responseOn(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  socket.on('drain', () => res.emit('drain'));
  res.once('finish', () => {
    socket.setTimeout(LINGER_MS, () => socket.destroy());
    socket.destroySoon();
  });
  socket.on('error', () => socket.destroy());
  return res;
}

const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** Returns a request to the parser of its connection without its upgrade headers, to be handled as any other. */
function rejoin(req: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = req.rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (UPGRADE_HEADERS.has(lower)) continue;
    const options = value.split(',').filter((option) => !UPGRADE_HEADERS.has(option.trim().toLowerCase()));
    lines.push(`${name}: ${lower === 'connection' ? options.join(',') : value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
}
