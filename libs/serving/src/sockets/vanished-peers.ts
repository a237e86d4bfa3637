import type { Server, Socket } from 'node:net';
import type { Clock } from '@orch/runtime';
import { nameOfSocket, type UnansweredConnection, unansweredConnections } from './tcp-table.js';

/** Settings of {@link VanishedPeers}. */
export interface VanishedPeersSettings {
  readonly clock: Clock;
  /** Time for which a peer may acknowledge nothing while data is sent to it, ms. 0: unlimited. */
  readonly timeoutMs: number;
  /** Called for each accepted connection that is given up. */
  readonly onVanished: () => void;
  /** Called when the state of the connections could not be read. */
  readonly onError: (error: unknown) => void;
  /** Default: read from the kernel's tables. */
  readonly unanswered?: () => AsyncIterable<UnansweredConnection>;
}

/** Start of a connection's silence, and its number of attempts at the last check. */
interface Silence {
  readonly since: number;
  readonly attempts: number;
}

/** Number of checks within the timeout: a peer is given up late by one interval at most. */
const CHECKS = 3;
/** Minimum number of attempts: a smaller number may have been lost in the network. */
const LEAST_ATTEMPTS = 2;

/**
 * Closes connections whose peer does not acknowledge any more, as TCP_USER_TIMEOUT would (RFC 5482; Node cannot set
 * it): accepted ones, and outgoing ones. The kernel itself takes a quarter of an hour, and sends no keep-alive probes
 * while data waits for an acknowledgement. A peer that is alive but does not read continues to acknowledge, and stays
 * connected. Needs the tables of Linux; elsewhere no connection is closed.
 */
export class VanishedPeers {
  /** Open connections, with the callback for giving them up. */
  readonly #open = new Map<Socket, () => void>();
  readonly #settings: Required<VanishedPeersSettings>;
  #silent = new Map<string, Silence>();
  #cancelTimer: (() => void) | undefined;

  constructor(settings: VanishedPeersSettings) {
    this.#settings = { unanswered: unansweredConnections, ...settings };
  }

  /** Observes the connections that a server accepts from now on. */
  follow(server: Server): void {
    server.on('connection', (socket: Socket) => this.add(socket));
    if (this.#settings.timeoutMs > 0 && this.#cancelTimer === undefined) this.#schedule();
  }

  /**
   * Observes a further connection of any origin, while servers are observed.
   * @param onVanished called when it is closed. Default: as for accepted connections
   */
  add(socket: Socket, onVanished = this.#settings.onVanished): void {
    if (this.#settings.timeoutMs === 0) return;
    this.#open.set(socket, onVanished);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Stops looking for vanished peers; connections stay open. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #schedule(): void {
    const { clock, timeoutMs } = this.#settings;
    this.#cancelTimer = clock.after(timeoutMs / CHECKS, () => {
      void this.#look()
        .catch(this.#settings.onError)
        .finally(() => {
          if (this.#cancelTimer !== undefined) this.#schedule();
        });
    });
  }

  async #look(): Promise<void> {
    if (this.#open.size === 0) return;
    const { clock, timeoutMs } = this.#settings;
    const now = clock.now();
    this.#silent = await this.#listen(now);
    const vanished = [...this.#silent].filter(
      ([, { since, attempts }]) => now - since >= timeoutMs && attempts >= LEAST_ATTEMPTS,
    );
    if (vanished.length > 0) this.#giveUp(new Set(vanished.map(([name]) => name)));
  }

  /** Returns the silent connections. Fewer attempts than at the last check show an answer in between. */
  async #listen(now: number): Promise<Map<string, Silence>> {
    const silent = new Map<string, Silence>();
    for await (const { name, attempts } of this.#settings.unanswered()) {
      const before = this.#silent.get(name);
      const since = before !== undefined && attempts >= before.attempts ? before.since : now;
      silent.set(name, { since, attempts });
    }
    return silent;
  }

  #giveUp(vanished: ReadonlySet<string>): void {
    for (const [socket, onVanished] of this.#open) {
      if (!vanished.has(nameOfSocket(socket))) continue;
      onVanished();
      socket.destroy();
    }
  }
}
