import type { Server, Socket } from 'node:net';

/** Begins with a connection. */
type Begin = (socket: Socket) => void;

/**
 * Has the handshakes of a server of TLS begin a few in each round of the event loop, by turns of the addresses that connections come from.
 * One takes as long as some requests, and a thousand clients that come back at once would have those wait for theirs who are
 * there. What clients say meanwhile is kept by their connections.
 * @param perRound 0 for as they come
 * @param limitMs who has waited for so long is closed instead: most likely its client is gone, which does not show before it is read from
 */
export function handshakesInTurn(server: Server, perRound: number, limitMs: number): void {
  const [listener] = server.listeners('connection') as Begin[];
  if (perRound === 0 || !listener) return;
  const turns = new HandshakeTurns(perRound, limitMs, (socket) => listener.call(server, socket));
  server.off('connection', listener);
  server.on('connection', (socket: Socket) => turns.take(socket));
}

class HandshakeTurns {
  /** Connections that wait and since when, by their addresses; the one whose turn it is comes first. */
  readonly #waiting = new Map<string, Map<Socket, number>>();
  #begun = 0;
  #isAsked = false;

  constructor(
    private readonly perRound: number,
    private readonly limitMs: number,
    private readonly begin: Begin,
  ) {}

  take(socket: Socket): void {
    this.#askRound();
    if (this.#begun < this.perRound) {
      this.#begun++;
      this.begin(socket);
    } else this.#wait(socket);
  }

  #wait(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const others = this.#waiting.get(address);
    const now = performance.now();
    if (others) others.set(socket, now);
    else this.#waiting.set(address, new Map([[socket, now]]));
    // Whoever is gone before it was its turn has nobody else to hear of that.
    socket.on('error', ignore).once('close', () => this.#takeOut(address, socket));
  }

  #takeOut(address: string, socket: Socket): void {
    const waiting = this.#waiting.get(address);
    waiting?.delete(socket);
    if (waiting?.size === 0) this.#waiting.delete(address);
  }

  #askRound(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    this.#isAsked = false;
    for (this.#begun = 0; this.#begun < this.perRound && this.#beginNext(); this.#begun++);
    if (this.#begun > 0) this.#askRound();
  }

  /** @returns false where nobody waits */
  #beginNext(): boolean {
    const [next] = this.#waiting;
    if (!next) return false;
    const [address, sockets] = next;
    const [[socket, since] = []] = sockets;
    // It stands behind the other addresses, if more of it wait.
    this.#waiting.delete(address);
    if (socket) sockets.delete(socket);
    if (sockets.size > 0) this.#waiting.set(address, sockets);
    if (!socket || since === undefined) return true;
    if (performance.now() - since > this.limitMs) socket.destroy();
    else this.begin(socket.off('error', ignore));
    return true;
  }
}

const ignore = (): void => undefined;
