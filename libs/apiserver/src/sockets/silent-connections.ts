import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Time for what a client was about to ask when its server began to end, milliseconds. */
const LATE_MS = 1_000;

/**
 * Connections on which nothing has been asked yet, as balancers and browsers open them beforehand. Node takes them for busy until the time
 * for the head of a request is over, and the end of a server would wait for all of that. Those of HTTP/2 are not among them once they are
 * secured.
 */
export class SilentConnections {
  /** Not secured yet, by who is at the other end: then they go on as other sockets. */
  readonly #handshaking = new Map<string, Socket>();
  readonly #silent = new Set<Socket>();
  #isOver = false;

  /** @param secure whether the server is one of TLS */
  follow(server: Server, secure: boolean): void {
    server.on('connection', (socket: Socket) => (secure ? this.#shake(socket) : this.#add(socket)));
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#handshaking.delete(peerOf(socket));
      if (socket.alpnProtocol !== 'h2') this.#add(socket);
    });
    server.on('request', (req: IncomingMessage) => {
      if (req.httpVersionMajor === 1) this.#silent.delete(req.socket);
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      this.#silent.delete(socket);
    });
  }

  /** The server ends: who goes on to ask nothing is let go of. */
  close(): void {
    setTimeout(() => {
      this.#isOver = true;
      for (const socket of [...this.#handshaking.values(), ...this.#silent]) socket.destroy();
    }, LATE_MS).unref();
  }

  #shake(socket: Socket): void {
    const peer = peerOf(socket);
    this.#handshaking.set(peer, socket);
    socket.once('close', () => {
      if (this.#handshaking.get(peer) === socket) this.#handshaking.delete(peer);
    });
  }

  #add(socket: Socket): void {
    if (this.#isOver) return void socket.destroy();
    this.#silent.add(socket);
    socket.once('close', () => this.#silent.delete(socket));
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
