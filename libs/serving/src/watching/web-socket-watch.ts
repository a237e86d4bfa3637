import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest } from '@orch/machinery';
import { checkWebSocketKey, messageBounds } from '@orch/streaming';
import type { WatchSink } from '@orch/watchcache';
import { WebSocket, WebSocketServer } from 'ws';
import type { RequestContext, Upgrade } from '../http/context.js';
import { WebSocketConnection } from '../sockets/web-socket-connection.js';
import { WatchOutput, type WatchOutputs } from './watch-output.js';
import { KEEP_ALIVE_MS, LINGER_MS } from './watch-stream.js';

/** Maximum size of a client's message, bytes; clients have nothing to send, and more closes with 1009. */
const MAX_CLIENT_MESSAGE = 64 * 1024;
/** Milliseconds that a client may take to close its side as well. */
const CLOSE_MS = 1_000;
/** The stream has ended; after a failure, an `ERROR` event precedes it. */
const NORMAL_CLOSURE = 1000;

const handshakes = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // Pongs of the library would wait behind events without bound.
  autoPong: false,
  ...messageBounds(MAX_CLIENT_MESSAGE),
  // The encoding of events does not depend on it; the first is selected so that the client does not disconnect.
  handleProtocols: ([first]) => first ?? false,
});

/** A list of tokens (RFC 9110 section 5.6.2), the form in which subprotocols are offered. */
const SUBPROTOCOLS = /^[!#$%&'*+.^`|~\w-]+(?:[ \t]*,[ \t]*[!#$%&'*+.^`|~\w-]+)*$/;

/** @throws StatusError 400 for a handshake that RFC 6455 section 4.2.1 does not allow */
export function checkHandshake(req: IncomingMessage): void {
  checkWebSocketKey(req);
  const protocols = req.headers['sec-websocket-protocol'];
  if (protocols !== undefined && !namesEachOnce(protocols)) {
    throw badRequest('Sec-WebSocket-Protocol must be a list of different tokens');
  }
}

function namesEachOnce(protocols: string): boolean {
  if (!SUBPROTOCOLS.test(protocols)) return false;
  const names = protocols.split(',').map((name) => name.trim());
  return new Set(names).size === names.length;
}

/**
 * A watch over a WebSocket: one message per event. The library handles handshake, pings and closing; events are
 * complete frames already and bypass it.
 */
export class WebSocketWatch implements WatchSink {
  readonly #output: WatchOutput;
  #webSocket: WebSocket | undefined;
  /** The last ping that has no answer yet, as the client does not read. */
  #ping: Buffer | undefined;
  #ended = false;

  constructor(
    private readonly upgrade: Upgrade,
    outputs: WatchOutputs,
    private readonly pingMs = KEEP_ALIVE_MS,
  ) {
    this.#output = new WatchOutput(upgrade.socket, outputs);
  }

  /** Answers the handshake: from here on errors can only be events. Calls back once, when the connection is closed. */
  open(ctx: RequestContext, onClose: () => void): void {
    const { upgrade } = this;
    const { socket } = upgrade;
    if (socket.destroyed) {
      onClose();
      return;
    }
    this.#output.open(onClose);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    ctx.res.statusCode = 101;
    const identify = (lines: string[]) => void lines.push(`Audit-Id: ${ctx.requestId}`);
    const connection = new WebSocketConnection(socket, this.#output);
    handshakes.on('headers', identify);
    handshakes.handleUpgrade(ctx.req, connection, upgrade.head, (webSocket) => this.#begin(webSocket));
    // A failed handshake emits no headers; its listener must not add them to the next one.
    handshakes.off('headers', identify);
  }

  write(frames: Buffer): boolean {
    // After a close frame of either side, nothing may follow.
    return this.#webSocket?.readyState !== WebSocket.OPEN || this.#output.write(frames);
  }

  writePieces(pieces: readonly Buffer[]): boolean {
    return this.#webSocket?.readyState !== WebSocket.OPEN || this.#output.writePieces(pieces);
  }

  get departures(): number {
    return this.#output.departures;
  }

  onDrain(callback: () => void): void {
    this.#output.onDrain(() => {
      if (this.#ping) this.#answer(this.#ping);
      callback();
    });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#webSocket?.close(NORMAL_CLOSURE);
    const { socket } = this.upgrade;
    socket.setTimeout(LINGER_MS, () => socket.destroy());
    this.#awaitClose(socket);
  }

  /**
   * Closes the socket once all output has left the process; it then reaches the client whether or not that answers the
   * close frame.
   */
  #awaitClose(socket: Socket): void {
    const looks = setInterval(() => {
      if (!this.#output.idle && !socket.destroyed) return;
      clearInterval(looks);
      socket.destroy();
    }, CLOSE_MS);
  }

  /** Answers a ping; of those that come while the client does not read, the last one, once it does (RFC 6455 section 5.5.3). */
  #answer(ping: Buffer): void {
    this.#ping = this.#output.stalled ? ping : undefined;
    if (!this.#ping && this.#webSocket?.readyState === WebSocket.OPEN) this.#webSocket.pong(ping);
  }

  #begin(webSocket: WebSocket): void {
    const { socket } = this.upgrade;
    this.#webSocket = webSocket;
    // The library has closed with the code for the error.
    webSocket.on('error', () => undefined);
    webSocket.on('ping', (ping: Buffer) => this.#answer(ping));
    // Keeps proxies from ending a silent stream; TCP detects vanished clients, as for other streams.
    const pings = setInterval(() => {
      if (webSocket.readyState === WebSocket.OPEN && this.#output.idle) webSocket.ping();
    }, this.pingMs);
    socket.once('close', () => clearInterval(pings));
  }
}
