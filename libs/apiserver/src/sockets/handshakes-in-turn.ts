import type { Server, Socket } from 'node:net';

/** Begins with a connection. */
type Begin = (socket: Socket) => void;

/** Milliseconds for which connections are only let in, if one comes in each round, before handshakes go on. */
const LET_IN_MS = 8;

/**
 * Has the handshakes of a server of TLS begin a few in each round of the event loop, by turns of the addresses that connections come from.
 * One takes as long as some requests, and a thousand clients that come back at once would have those wait for theirs who are
 * there. What clients say meanwhile is kept by their connections.
 *
 * Node takes one connection in a round from those that wait in the kernel, in their order (libuv 1.45 and later). Whoever comes behind a hundred others would wait
 * there for a hundred rounds, which are long while handshakes are made in them: as long as more come, rounds are kept short.
 * @param perRound 0 for as they come
 * @param limitMs who has waited for so long is closed instead: most likely its client is gone, which does not show before it is read from
 * @param now monotonic milliseconds
 */
export function handshakesInTurn(
  server: Server,
  perRound: number,
  limitMs: number,
  now: () => number = () => performance.now(),
): void {
  const [listener] = server.listeners('connection') as Begin[];
  if (perRound === 0 || !listener) return;
  const turns = new HandshakeTurns(perRound, limitMs, (socket) => listener.call(server, socket), now);
  server.off('connection', listener);
  server.on('connection', (socket: Socket) => turns.take(socket));
}

class HandshakeTurns {
  /** Connections that wait and since when, by their addresses; the one whose turn it is comes first. */
  readonly #waiting = new Map<string, Map<Socket, number>>();
  #isAsked = false;
  /** One has come in this round. */
  #hasCome = false;
  /** From when on handshakes begin though more come. */
  #goesOnAt = 0;

  constructor(
    private readonly perRound: number,
    private readonly limitMs: number,
    private readonly begin: Begin,
    private readonly now: () => number,
  ) {}

  take(socket: Socket): void {
    this.#hasCome = true;
    const now = this.now();
    if (this.#waiting.size > 0 || now < this.#goesOnAt) this.#wait(socket, now);
    else {
      this.#goesOnAt = now + LET_IN_MS;
      this.begin(socket);
    }
  }

  #wait(socket: Socket, now: number): void {
    this.#askRound();
    const address = socket.remoteAddress ?? '';
    const others = this.#waiting.get(address);
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
    const [mayBeMore, now] = [this.#hasCome, this.now()];
    this.#hasCome = false;
    if (!mayBeMore || now >= this.#goesOnAt) {
      for (let begun = 0; begun < this.perRound && this.#beginNext(now); begun++);
      this.#goesOnAt = now + LET_IN_MS;
    }
    if (this.#waiting.size > 0) this.#askRound();
  }

  /** @returns false where nobody waits */
  #beginNext(now: number): boolean {
    const [next] = this.#waiting;
    if (!next) return false;
    const [address, sockets] = next;
    const [[socket, since] = []] = sockets;
    // It stands behind the other addresses, if more of it wait.
    this.#waiting.delete(address);
    if (socket) sockets.delete(socket);
    if (sockets.size > 0) this.#waiting.set(address, sockets);
    if (!socket || since === undefined) return true;
    if (now - since > this.limitMs) socket.destroy();
    else this.begin(socket.off('error', ignore));
    return true;
  }
}

const ignore = (): void => undefined;
