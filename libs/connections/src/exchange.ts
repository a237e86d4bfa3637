import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '@orch/runtime';
import {
  askForBody,
  cutOff,
  type HandedStream,
  isGone,
  type OutgoingConnections,
  pump,
  type RequestContext,
  switchProtocols,
  type Upgrade,
} from '@orch/serving';

/** The head of a response of another server; `switched` when the connection goes on with another protocol. */
export interface AnswerHead {
  /** Status and headers; the body, unless the protocol was switched. */
  readonly message: IncomingMessage;
  /** The connection behind the head. */
  readonly switched?: Upgrade;
}

/** Options of {@link exchange}. */
export interface Exchanging {
  /** Detects peers that have vanished. */
  readonly connections: Pick<OutgoingConnections, 'keep'>;
  /**
   * Milliseconds for connecting, the TLS handshake included: an unreachable server gets less time than a slow one. 0 is
   * no bound.
   */
  readonly connectMs: number;
  /** Milliseconds within which the head of the response must arrive. Default: unbounded. */
  readonly limitMs?: number | undefined;
  /** Body of the request: one that was read, that of the client as it arrives, or none. */
  readonly body: Buffer | 'piped' | undefined;
}

/**
 * Refuses to ask another server for a client that has left, or was cut off: called before a request to it is made, which
 * begins to connect at once.
 * @throws Error
 */
export function requireClient(ctx: RequestContext): void {
  if (isGone(ctx)) throw new Error('the client is gone');
}

/**
 * Sends a request to another server on behalf of a client's request, and ends it at once when that is over, also before
 * there is a response.
 * @returns the head of the response
 * @throws Error of the connection; for a response that cannot be passed on; for a client that is gone
 */
export function exchange(ctx: RequestContext, upstream: ClientRequest, options: Exchanging): Promise<AnswerHead> {
  const { connections, connectMs, limitMs, body } = options;
  return new Promise((resolve, reject) => {
    const { req, res, upgrade } = ctx;
    upstream.on('error', reject);
    // Its end would not be seen any more.
    if (isGone(ctx)) return void upstream.destroy(new Error('the client is gone'));
    upstream.once('socket', (socket) => connections.keep(socket));
    upstream.once('response', (message) => {
      const { statusCode = 0 } = message;
      // An invalid status code cannot be sent to a client over HTTP/2.
      if (isStatus(statusCode)) return resolve({ message });
      upstream.destroy();
      reject(invalidStatus(statusCode));
    });
    upstream.once('upgrade', (message, socket: Socket, head) => {
      // Nothing else listens for errors of the socket yet; without a listener they would end the process.
      socket.on('error', () => undefined);
      if (upgrade) return resolve({ message, switched: { socket, head } });
      socket.destroy();
      reject(new Error('it goes on with another protocol, which it was not asked for'));
    });
    res.once('close', () => upstream.destroy());
    boundConnecting(upstream, connectMs);
    if (limitMs !== undefined) boundAnswer(upstream, limitMs);
    if (body !== 'piped') return void upstream.end(body);
    askForBody(ctx);
    req.pipe(upstream);
  });
}

/** Whether a code is that of a final response (RFC 9110 section 15). */
export const isStatus = (code: number): boolean => code >= 200 && code <= 599;

/** The error of a response with a code that is none of a final response. */
export const invalidStatus = (code: number): Error => new Error(`it answers with the status ${code}`);

function boundConnecting(upstream: ClientRequest, connectMs: number): void {
  upstream.once('socket', (socket) => {
    if (!socket.connecting || connectMs === 0) return;
    const late = () => upstream.destroy(new Error(`no connection within ${connectMs} ms`));
    const clear = systemClock.after(connectMs, late);
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', clear).once('close', clear);
  });
}

function boundAnswer(upstream: ClientRequest, limitMs: number): void {
  const clear = systemClock.after(limitMs, () => upstream.destroy(new Error(`no answer within ${limitMs} ms`)));
  for (const end of ['response', 'upgrade', 'close']) upstream.once(end, clear);
}

/**
 * Joins the connection of a client with that of another server, whose protocol is not interpreted here: bytes go both
 * ways as they arrive, no faster than they are read.
 * @param unreadMs see {@link switchProtocols}
 * @returns the stream; undefined if the client is gone
 */
export function joinConnections(
  ctx: RequestContext,
  client: Upgrade,
  answer: IncomingMessage,
  other: Upgrade,
  unreadMs?: number,
): HandedStream | undefined {
  if (!switchProtocols(ctx, client, answer, other, unreadMs)) return undefined;
  pump(other.socket, client.socket);
  return { end: () => cutOff(ctx) };
}
