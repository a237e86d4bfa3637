import type { Server, Socket } from 'node:net';
import { siteOf } from './client-site.js';

/** Handles a new connection. */
type Begin = (socket: Socket) => void;

/**
 * Milliseconds for which connections are only accepted, while one arrives in each round, before handshakes continue.
 */
const LET_IN_MS = 8;

/**
 * Begins the handshakes of a TLS server a few per round of the event loop, taking turns by the sites (networks) of the
 * peers. A handshake takes as long as some requests, and a thousand clients that reconnect at once would delay the
 * requests of connected ones. The bytes of waiting clients stay in their connections.
 *
 * Node accepts one connection per round from the kernel's queue, in order (libuv 1.45 and later). The last of a hundred
 * would wait there for a hundred rounds, which are long while handshakes run in them: as long as more arrive, rounds
 * are kept short.
 * @param perRound 0 for no limit
 * @param limitMs a connection that has waited this long is closed instead: most likely its client has given up
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

/** Number of connections that are checked in a round for whether they have waited too long. */
const CHECKS = 100;
/** Maximum bytes that are buffered for a client before its turn: it only has to send the beginning of a handshake. */
const MOST_EARLY_BYTES = 20_000;

class HandshakeTurns {
  /** Waiting connections by site; the site whose turn it is comes first. */
  readonly #sites = new Map<string, Set<Socket>>();
  /** Arrival times of the waiting connections, in order. */
  readonly #since = new Map<Socket, number>();
  #isAsked = false;
  /** Whether a connection has arrived in this round of the event loop. */
  #hasCome = false;
  /** Time from which handshakes begin although more connections arrive. */
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
    if (this.#since.size > 0 || now < this.#goesOnAt) this.#wait(socket, now);
    else {
      this.#goesOnAt = now + LET_IN_MS;
      this.begin(socket);
    }
  }

  #wait(socket: Socket, now: number): void {
    this.#requestRound();
    const site = siteOf(socket.remoteAddress ?? '');
    const others = this.#sites.get(site);
    if (others) others.add(socket);
    else this.#sites.set(site, new Set([socket]));
    this.#since.set(socket, now);
    // A connection that ends before its turn has no other listener for that.
    socket
      .on('error', ignore)
      .on('readable', leaveIfGone)
      .once('close', () => this.#takeOut(site, socket));
  }

  #takeOut(site: string, socket: Socket): void {
    this.#since.delete(socket);
    const waiting = this.#sites.get(site);
    waiting?.delete(socket);
    if (waiting?.size === 0) this.#sites.delete(site);
  }

  #requestRound(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    this.#isAsked = false;
    const [mayBeMore, now] = [this.#hasCome, this.now()];
    this.#hasCome = false;
    this.#closeLate(now);
    if (!mayBeMore || now >= this.#goesOnAt) {
      for (let begun = 0; begun < this.perRound && this.#beginNext(); begun++);
      this.#goesOnAt = now + LET_IN_MS;
    }
    if (this.#since.size > 0) this.#requestRound();
  }

  #closeLate(now: number): void {
    let looks = 0;
    for (const [socket, since] of this.#since) {
      if (now - since <= this.limitMs || ++looks > CHECKS) return;
      this.#since.delete(socket);
      socket.destroy();
    }
  }

  /** @returns false if none waits */
  #beginNext(): boolean {
    for (const [site, sockets] of this.#sites) {
      const [socket] = sockets;
      // Moves behind the other sites, if more connections of it wait.
      this.#sites.delete(site);
      if (socket) sockets.delete(socket);
      if (sockets.size > 0) this.#sites.set(site, sockets);
      if (!socket || socket.destroyed) continue;
      this.#since.delete(socket);
      this.begin(socket.off('error', ignore).off('readable', leaveIfGone));
      return true;
    }
    return false;
  }
}

const ignore = (): void => undefined;

/** A socket with what Node has received from its peer but no one has read, and whether the peer has closed. */
type Unread = Socket & { readonly _readableState: { readonly ended: boolean } };

/**
 * Closes a connection whose peer has closed or has sent too much: while there is unread data, Node would not notice.
 */
function leaveIfGone(this: Socket): void {
  if ((this as Unread)._readableState.ended || this.readableLength > MOST_EARLY_BYTES) this.destroy();
}
