import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Time for what a client was about to ask when its server began to end, milliseconds. */
export const LATE_MS = 1_000;

/**
 * Connections on which nothing has been asked yet, as balancers and browsers open them beforehand. Node 22 and 24 take them for busy until
 * the time for the head of a request is over, and the end of a server would wait for all of that; Node 26 takes them for idle, and closes
 * them while a request is on its way. Those of HTTP/2 are not among them once they are secured.
 */
export class SilentConnections {
  /** Not secured yet, by who is at the other end: then they go on as other sockets. */
  readonly #handshaking = new Map<string, Socket>();
  readonly #silent = new Set<Socket>();
  #isOver = false;
  #whenNone: () => void = () => undefined;

  /** @param secure whether the server is one of TLS */
  follow(server: Server, secure: boolean): void {
    server.on('connection', (socket: Socket) => (secure ? this.#shake(socket) : this.#add(socket)));
    server.on('secureConnection', (socket: TLSSocket) => {
      const peer = peerOf(socket);
      if (socket.alpnProtocol !== 'h2') this.#add(socket);
      this.#secured(peer);
    });
    server.on('request', (req: IncomingMessage) => {
      if (req.httpVersionMajor === 1) this.#heard(req.socket);
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => this.#heard(socket));
  }

  /** The server takes no more connections: resolves when there is none left, as who goes on to ask nothing is let go of. */
  close(): Promise<void> {
    const giveUp = () => {
      this.#isOver = true;
      for (const socket of [...this.#handshaking.values(), ...this.#silent]) socket.destroy();
    };
    const deadline = setTimeout(giveUp, LATE_MS);
    return new Promise((resolve) => {
      this.#whenNone = () => {
        clearTimeout(deadline);
        resolve();
      };
      this.#tellIfNone();
    });
  }

  #shake(socket: Socket): void {
    const peer = peerOf(socket);
    this.#handshaking.set(peer, socket);
    socket.once('close', () => {
      if (this.#handshaking.get(peer) === socket) this.#secured(peer);
    });
  }

  #secured(peer: string): void {
    this.#handshaking.delete(peer);
    this.#tellIfNone();
  }

  #add(socket: Socket): void {
    if (this.#isOver) return void socket.destroy();
    this.#silent.add(socket);
    socket.once('close', () => this.#heard(socket));
  }

  #heard(socket: Socket): void {
    if (this.#silent.delete(socket)) this.#tellIfNone();
  }

  #tellIfNone(): void {
    if (this.#handshaking.size + this.#silent.size === 0) this.#whenNone();
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
