import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { GatheredWrites, readDirectly, systemClock } from '@orch/runtime';
import { KEEP_ALIVE_MS } from '../watching/watch-stream.js';
import { type RequestContext, type Upgrade, wasCutOff } from './context.js';
import { passedOn } from './passed-on.js';
import { REQUEST_ID_HEADER } from './request-id.js';

/**
 * Answers a client that switches to another protocol with the other server's answer, and joins the two connections: the
 * handshake is forwarded as it is, the client's bytes go to the other server, and each connection ends with the other: behind
 * what was read from that, or at once where the request was cut off. The caller forwards the bytes from `other.socket`.
 * @param unreadMs milliseconds for the client to read what is left once the other server has ended; 0 is no bound
 * @returns whether the client is still there
 */
export function switchProtocols(
  ctx: RequestContext,
  client: Upgrade,
  answer: IncomingMessage,
  other: Upgrade,
  unreadMs = LINGER_MS,
): boolean {
  if (client.socket.destroyed) {
    other.socket.destroy();
    return false;
  }
  ctx.res.statusCode = 101;
  client.socket.write(headOf(ctx, answer), 'latin1');
  answer.headers = {};
  answer.rawHeaders = [];
  other.socket.unshift(other.head);
  other.socket.write(client.head);
  for (const { socket } of [client, other]) {
    socket.setTimeout(0);
    socket.setNoDelay(true);
    // It is closed behind an error, and what was read before is still to be passed on.
    socket.on('error', () => undefined);
  }
  client.socket.on('close', () => endBehind(ctx, other.socket));
  other.socket.on('close', () => {
    endBehind(ctx, client.socket, client.socket.readableEnded ? LINGER_MS : unreadMs, endUnreset);
  });
  // A client that has left is seen by the end of its half alone, and some servers never end theirs.
  client.socket.once('end', () => other.socket.setTimeout(LINGER_MS, () => other.socket.destroy()));
  // The keep-alive of the other one is set by its owner.
  client.socket.setKeepAlive(true, KEEP_ALIVE_MS);
  pump(client.socket, other.socket);
  return true;
}

/**
 * Milliseconds for a connection to take what was read from the other one, which has closed; and for a server to be silent
 * once its client has sent its last.
 */
const LINGER_MS = 10_000;

/**
 * Ends the other side of a connection that has closed: behind what was written to it, or at once where the request was
 * cut off.
 * @param unreadMs milliseconds for its peer to read that; 0 is no bound
 * @param end ends it behind what was written to it
 */
export function endBehind(ctx: RequestContext, other: Socket, unreadMs = LINGER_MS, end = destroySoon): void {
  if (other.destroyed) return;
  if (wasCutOff(ctx)) return void other.destroy();
  if (unreadMs > 0) cutIn(unreadMs, other);
  end(other);
}

const destroySoon = (socket: Socket): void => socket.destroySoon();

/**
 * Ends a connection that {@link pump} reads, behind what was written to it, and reads on until its peer ends it: closed with
 * bytes unread, it would be reset, and its peer would lose what it has still to read.
 */
function endUnreset(socket: Socket): void {
  socket.once('end', () => socket.destroySoon());
  const finished = () => cutIn(LINGER_MS, socket);
  if (socket.readableEnded) socket.destroySoon();
  else if (socket.writableFinished) finished();
  else socket.once('finish', finished).end();
  socket.resume();
}

function cutIn(ms: number, socket: Socket): void {
  const cut = () => socket.destroy();
  socket.once('close', systemClock.after(ms, cut));
}

/** Passes the bytes of a connection to another, no faster than they are taken, and its end; to nobody once that is closed. */
export function pump(from: Socket, to: Socket): void {
  let isFull = false;
  const gathered = new GatheredWrites(to, () => {
    if (isFull || to.destroyed) return;
    isFull = true;
    from.pause();
    to.once('drain', () => {
      isFull = false;
      from.resume();
    });
  });
  // Whoever ends the other one when this one is closed does so behind what was read from this one.
  from.prependOnceListener('close', () => gathered.flush());
  from.once('end', () => {
    gathered.flush();
    to.end();
  });
  readDirectly(from, (bytes) => to.destroyed || gathered.add(bytes));
}

/** The request id is set by this server. */
const OWN: ReadonlySet<string> = new Set([REQUEST_ID_HEADER]);

function headOf({ requestId }: RequestContext, { headers }: IncomingMessage): string {
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    `Upgrade: ${headers.upgrade}`,
    `Audit-Id: ${requestId}`,
  ];
  for (const [name, value] of Object.entries(passedOn(headers, OWN)))
    for (const each of [value].flat()) lines.push(`${name}: ${each}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
