import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { systemClock } from '@orch/runtime';
import { gatherWrites, type RequestContext, type Upgrade } from '@orch/serving';
import { WebSocket, WebSocketServer } from 'ws';

/** A client's request for a WebSocket. */
interface MessageRequest {
  /** The request. */
  readonly ctx: RequestContext;
  /** The connection that the request has come on. */
  readonly client: Upgrade;
  /** Bytes of a message of the client; a longer one closes the connection with the code 1009. */
  readonly maxMessage: number;
}

/** A client's request for a session with a pod. */
export interface SessionRequest extends MessageRequest {
  /** Milliseconds for which it may be silent; 0 is no bound. */
  readonly idleMs: number;
}

/** The owner of a connection: takes what comes. */
export interface MessageReceiver {
  /** A message has come, as bytes or, in UTF-8, as text. */
  message(bytes: Buffer, isBinary: boolean): void;
  /** The connection is closed, by either side or broken. */
  closed(): void;
}

/** The stream that messages are made of: it stops while the client does not read. */
type Source = Pick<Readable, 'pause' | 'resume'>;

/** Milliseconds between signs of life on a connection. */
const KEEP_ALIVE_MS = 30_000;
/** Milliseconds for a client to read what was sent, once its connection ends. */
const LINGER_MS = 10_000;

/** Bytes of messages that wait in this process until their source is stopped. */
const MOST_WAITING = 64 << 10;

const [NORMAL_CLOSURE, PROTOCOL_ERROR] = [1000, 1002];

/**
 * A WebSocket on a client's connection whose messages carry a stream of bytes. It sends no faster than the client reads;
 * pings are answered by the library, and pongs that nobody asked for keep a silent or stopped connection alive.
 */
export class MessageConnection {
  readonly #gather: () => void;
  #stopped: Source | undefined;
  #isWaiting = false;
  #cancelPong: () => void = () => undefined;

  private constructor(
    private readonly webSocket: WebSocket,
    { socket }: Upgrade,
    receiver: MessageReceiver,
  ) {
    this.#gather = gatherWrites(socket);
    // The library has closed with the code for the error.
    webSocket.on('error', () => undefined);
    webSocket.on('message', (data: Buffer, isBinary) => receiver.message(data, isBinary));
    webSocket.once('close', () => {
      this.#cancelPong();
      receiver.closed();
    });
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#keepAlive();
  }

  /**
   * Answers a client's handshake, which must have been checked.
   * @param protocol subprotocol that is agreed on; undefined for none
   * @returns undefined if the client is gone
   */
  static accept(
    { ctx, client, maxMessage }: MessageRequest,
    protocol: string | undefined,
    receiver: MessageReceiver,
  ): MessageConnection | undefined {
    const handshakes = new WebSocketServer({
      ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
      ...{ maxPayload: maxMessage, closeTimeout: LINGER_MS },
    });
    handshakes.once('headers', (lines: string[]) => {
      lines.push(`Audit-Id: ${ctx.requestId}`);
      if (protocol !== undefined) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
    });
    // The library refuses names that are no tokens, such as `SPDY/3.1+portforward.k8s.io`. The choice is made here.
    delete ctx.req.headers['sec-websocket-protocol'];
    let connection: MessageConnection | undefined;
    ctx.res.statusCode = 101;
    handshakes.handleUpgrade(ctx.req, client.socket, client.head, (webSocket) => {
      connection = new MessageConnection(webSocket, client, receiver);
    });
    return connection;
  }

  /** Sends a message, text for a string; its source, if it has one, stops while too much waits. Nothing follows the end. */
  send(message: Buffer | string, from?: Source): void {
    const { webSocket } = this;
    if (webSocket.readyState !== WebSocket.OPEN) return;
    this.#gather();
    webSocket.send(message, { binary: typeof message !== 'string' }, () => this.#sent());
    if (!from || this.#stopped || webSocket.bufferedAmount <= MOST_WAITING) return;
    this.#stopped = from;
    from.pause();
  }

  /** Takes no messages but those that have been read already, until a connection takes bytes again, or is closed. */
  waitFor(socket: Socket): void {
    if (this.#isWaiting || socket.destroyed) return;
    this.#isWaiting = true;
    this.webSocket.pause();
    const goOn = (): void => {
      socket.off('drain', goOn).off('close', goOn);
      this.#isWaiting = false;
      this.webSocket.resume();
    };
    socket.on('drain', goOn).on('close', goOn);
  }

  /** Ends the connection behind what was sent; cuts it if the client does not read that in time. */
  close(): void {
    // The answer of the client has to be read.
    this.webSocket.resume();
    this.webSocket.close(NORMAL_CLOSURE);
  }

  /** Ends the connection of a client that breaks the rules of the protocol that its messages are of. */
  refuse(why: string): void {
    this.webSocket.close(PROTOCOL_ERROR, why);
  }

  #sent(): void {
    if (!this.#stopped || this.webSocket.bufferedAmount > MOST_WAITING) return;
    this.#stopped.resume();
    this.#stopped = undefined;
  }

  /**
   * Sends a pong now and then: proxies end connections that are silent, and clients those whose pings have no answer,
   * which has to wait while messages in front of the ping do.
   */
  #keepAlive(): void {
    const { webSocket } = this;
    this.#cancelPong = systemClock.after(KEEP_ALIVE_MS, () => {
      if (webSocket.readyState === WebSocket.OPEN && webSocket.bufferedAmount === 0) webSocket.pong();
      this.#keepAlive();
    });
  }
}
