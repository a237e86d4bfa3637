import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { gatherWrites, LONGEST_TIMER_MS, systemClock } from '@orch/runtime';
import { WebSocket, WebSocketServer } from 'ws';
import { messageBounds } from './message-bounds.js';

/** A client's request for a WebSocket. */
export interface MessageRequest {
  /** The request. */
  readonly req: IncomingMessage;
  /** The connection that the request has come on, and what came behind it. */
  readonly client: { readonly socket: Socket; readonly head: Buffer };
  /** Lines of the answer, further to those of the protocol. */
  readonly headers?: readonly string[];
  /** Bytes of a message of the client; a longer one closes the connection with the code 1009. */
  readonly maxMessage: number;
  /**
   * Milliseconds for which a session may be silent, and in which a client has to read what is left behind its end; 0 is no
   * bound.
   */
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
interface Source {
  pause(): unknown;
  resume(): unknown;
}

/** Milliseconds between signs of life on a connection. */
const KEEP_ALIVE_MS = 30_000;
/** Milliseconds for a client that has broken the rules to end its connection. */
const LINGER_MS = 10_000;

/** Bytes of messages that wait in this process until their source is stopped. */
const MOST_WAITING = 64 << 10;

const [NORMAL_CLOSURE, PROTOCOL_ERROR] = [1000, 1002];

/**
 * A WebSocket on a client's connection whose messages carry a stream of bytes. It sends no faster than the client reads, and
 * pongs that nobody asked for keep a silent or stopped connection alive.
 */
export class MessageConnection {
  readonly #gather: () => void;
  #stopped: Source | undefined;
  #isWaiting = false;
  /** The last ping that has no answer yet, as the client does not read. */
  #ping: Buffer | undefined;
  /** The other side has ended, and the client has the rest still to read. */
  #isEnding = false;
  #cancelPong: () => void = () => undefined;

  private constructor(
    private readonly webSocket: WebSocket,
    socket: Socket,
    receiver: MessageReceiver,
  ) {
    this.#gather = gatherWrites(socket);
    // The library has closed with the code for the error.
    webSocket.on('error', () => this.#leave());
    webSocket.on('ping', (ping: Buffer) => this.#answer(ping));
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
    { req, client, headers = [], maxMessage, idleMs }: MessageRequest,
    protocol: string | undefined,
    receiver: MessageReceiver,
  ): MessageConnection | undefined {
    const handshakes = new WebSocketServer({
      // Pongs of the library would wait for a client that does not read without bound, or end its connection.
      ...{ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false },
      ...{ ...messageBounds(maxMessage), closeTimeout: idleMs || LONGEST_TIMER_MS },
    });
    handshakes.once('headers', (lines: string[]) => {
      lines.push(...headers);
      if (protocol !== undefined) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
    });
    // The library refuses names that are no tokens, such as `SPDY/3.1+portforward.k8s.io`. The choice is made here.
    delete req.headers['sec-websocket-protocol'];
    let connection: MessageConnection | undefined;
    handshakes.handleUpgrade(req, client.socket, client.head, (webSocket) => {
      connection = new MessageConnection(webSocket, client.socket, receiver);
    });
    return connection;
  }

  /** Sends a message, text for a string; its source, if it has one, stops while too much waits. Nothing follows the end. */
  send(message: Buffer | string, from?: Source): void {
    const { webSocket } = this;
    if (webSocket.readyState !== WebSocket.OPEN) return;
    this.#gather();
    webSocket.send(message, { binary: typeof message !== 'string' }, () => this.#sent());
    if (!from || this.#stopped || !this.#isFull) return;
    this.#stopped = from;
    from.pause();
  }

  /** Takes no messages but those that have been read already, until what they are written to takes bytes again, or is closed. */
  waitFor(sink: Writable): void {
    if (this.#isWaiting || sink.destroyed) return;
    this.#isWaiting = true;
    this.webSocket.pause();
    const goOn = (): void => {
      sink.off('drain', goOn).off('close', goOn);
      this.#isWaiting = false;
      this.webSocket.resume();
    };
    sink.on('drain', goOn).on('close', goOn);
  }

  /** Closes the connection at once. */
  terminate(): void {
    this.webSocket.terminate();
  }

  /** Ends the connection behind what was sent; cuts it if the client does not read that within the time for silence. */
  close(): void {
    this.#isEnding = true;
    // The answer of the client has to be read.
    this.webSocket.resume();
    this.webSocket.close(NORMAL_CLOSURE);
  }

  /** Ends the connection of a client that breaks the rules of the protocol that its messages are of. */
  refuse(why: string): void {
    this.webSocket.close(PROTOCOL_ERROR, why);
    this.#leave();
  }

  /** Cuts the connection if the client does not end it in time. */
  #leave(): void {
    this.webSocket.once(
      'close',
      systemClock.after(LINGER_MS, () => this.webSocket.terminate()),
    );
  }

  #sent(): void {
    if (this.#isFull) return;
    if (this.#ping) this.#answer(this.#ping);
    this.#stopped?.resume();
    this.#stopped = undefined;
  }

  get #isFull(): boolean {
    return this.webSocket.bufferedAmount > MOST_WAITING;
  }

  /** Answers a ping; of those that come while the client does not read, the last one, once it does (RFC 6455 section 5.5.3). */
  #answer(ping: Buffer): void {
    const { webSocket } = this;
    this.#ping = this.#isFull ? ping : undefined;
    if (!this.#ping && webSocket.readyState === WebSocket.OPEN) webSocket.pong(ping, false, () => this.#sent());
  }

  /**
   * Sends a pong now and then: proxies end connections that are silent, and clients those whose pings have no answer,
   * which has to wait while messages in front of the ping do. Cuts the connection of a client that has said that it closes it,
   * and does not.
   */
  #keepAlive(): void {
    const { webSocket } = this;
    this.#cancelPong = systemClock.after(KEEP_ALIVE_MS, () => {
      const isOpen = webSocket.readyState === WebSocket.OPEN;
      if (!isOpen && !this.#isEnding) return webSocket.terminate();
      if (isOpen && webSocket.bufferedAmount === 0) webSocket.pong();
      this.#keepAlive();
    });
  }
}
