import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * Milliseconds for requests that clients send when the server has begun to close, and for clients to close what has
 * ended.
 */
export const LATE_MS = 1_000;

/** A connection as Node's server keeps it: with the response in progress, until its last byte is sent. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Use of a connection: none yet, HTTP/1.1 requests, or another protocol (including HTTP/2), whose streams end by
 * themselves.
 */
type Use = 'silent' | 'asked' | 'other';

/** Fields of Node's server that its types leave out. */
type Tunable = Pick<Server, 'keepAliveTimeout'> & { keepAliveTimeoutBuffer: number };

/**
 * Closes the connections of a server at shutdown. Node 26 would close idle connections at once: also one on which a
 * balancer has just sent the next request, which it may not be able to send again elsewhere, and one whose last answer
 * has not left yet. Node 22 and 24 would wait for unused ones until the timeout for a request's head; and for each
 * client that does not close its ended connection. Here the next answer of each connection announces that it is the
 * last, and the connection is closed when it has been idle, or half-closed, for a while.
 */
export class ServerConnections {
  /** Connections in the TLS handshake, by peer; after it they continue as other sockets. */
  readonly #handshaking = new Map<string, Socket>();
  readonly #open = new Map<Connection, Use>();
  /** Connections ended by the server at the last check, with all output sent. */
  readonly #ended = new WeakSet<Connection>();
  #looks: NodeJS.Timeout | undefined;

  /** @param isSecure whether the server is one of TLS */
  constructor(
    private readonly server: Server,
    isSecure: boolean,
  ) {
    if (isSecure) {
      server.on('connection', (socket: Socket) => this.#shake(socket));
      server.on('secureConnection', (socket: TLSSocket) => {
        this.#handshaking.delete(peerOf(socket));
        this.#add(socket, socket.alpnProtocol === 'h2' ? 'other' : 'silent');
      });
    } else server.on('connection', (socket: Socket) => this.#add(socket, 'silent'));
    server.on('request', ({ httpVersionMajor, socket }: IncomingMessage) => {
      if (httpVersionMajor === 1) this.#use(socket, 'asked');
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => this.#use(socket, 'other'));
    server.on('connect', ({ socket }: IncomingMessage) => this.#use(socket, 'other'));
  }

  /** Ends the open connections, each after its pending requests; to be called once the server no longer listens. */
  letGo(): void {
    const { server } = this;
    server.prependListener('request', ({ httpVersionMajor }, res) => {
      if (httpVersionMajor === 1) res.shouldKeepAlive = false;
    });
    Object.assign(server as Tunable, { keepAliveTimeout: LATE_MS, keepAliveTimeoutBuffer: 0 });
    for (const [socket, use] of this.#open) if (use === 'asked' && !socket._httpMessage) socket.setTimeout(LATE_MS);
    this.#looks = setInterval(() => this.#look(), LATE_MS);
  }

  /** Destroys all connections at once, with their pending requests. */
  cut(): void {
    for (const socket of [...this.#handshaking.values(), ...this.#open.keys()]) socket.destroy();
  }

  /** Stops checking, once no connection is left. */
  stop(): void {
    clearInterval(this.#looks);
  }

  #look(): void {
    for (const socket of this.#handshaking.values()) socket.destroy();
    for (const [socket, use] of this.#open) {
      if (use === 'silent' || this.#ended.has(socket)) socket.destroy();
      else if (socket.writableFinished) this.#ended.add(socket);
    }
  }

  #shake(socket: Socket): void {
    const peer = peerOf(socket);
    this.#handshaking.set(peer, socket);
    socket.once('close', () => {
      if (this.#handshaking.get(peer) === socket) this.#handshaking.delete(peer);
    });
  }

  #add(socket: Socket, use: Use): void {
    this.#open.set(socket, use);
    socket.once('close', () => this.#open.delete(socket));
  }

  #use(socket: Connection, use: Use): void {
    if (this.#open.has(socket)) this.#open.set(socket, use);
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
