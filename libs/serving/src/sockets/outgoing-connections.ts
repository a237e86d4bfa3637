import type { Socket } from 'node:net';
import type { VanishedPeers } from './vanished-peers.js';

/** Reasons for cutting a connection to another server, or a stream over one. */
export const CUT_REASONS = [
  /** The other machine has stopped acknowledging. */
  'vanished',
  /** A stream that must send signs of life was silent. */
  'silent',
  /** The stream had not ended in time. */
  'deadline',
] as const;
/** Reason for closing a connection: an element of {@link CUT_REASONS}. */
export type CutReason = (typeof CUT_REASONS)[number];

interface OutgoingSettings {
  /**
   * Gives up connections whose peer does not acknowledge data. Default: the kernel does, a quarter of an hour later.
   */
  readonly vanished?: Pick<VanishedPeers, 'add'>;
  /** Time for which an idle peer may answer no probe, ms. Default, also for 0: 40,000. */
  readonly peerTimeoutMs?: number;
  /** Milliseconds for which a stream that must send signs of life may be silent. Default 0: for ever. */
  readonly silenceMs?: number;
  /** Called for each connection or stream that is cut. */
  readonly onCut?: (reason: CutReason) => void;
}

/** Duration of the keep-alive probes that libuv configures: ten, a second apart (TCP_KEEPCNT, TCP_KEEPINTVL). */
const PROBES_MS = 10_000;
const PEER_TIMEOUT_MS = 40_000;
/** Minimum idle time: the kernel counts in seconds, and less than one would disable the probes. */
const LEAST_IDLE_MS = 1_000;

/**
 * The connections that this process opens to other servers on behalf of its clients and that may stay open: watches
 * that are proxied to gateways, requests to extension servers, connections that switch to another protocol. Every such
 * connection is given to {@link keep}, so that none outlives the machine at its other end, from which no reset would
 * ever come.
 */
export class OutgoingConnections {
  readonly #kept = new WeakSet<Socket>();
  readonly #idleMs: number;

  constructor(private readonly settings: OutgoingSettings = {}) {
    this.#idleMs = Math.max(LEAST_IDLE_MS, (settings.peerTimeoutMs || PEER_TIMEOUT_MS) - PROBES_MS);
  }

  /** Milliseconds for which a stream that must send signs of life may be silent; 0: for ever. */
  get silenceMs(): number {
    return this.settings.silenceMs ?? 0;
  }

  /**
   * Makes the kernel probe an idle connection, and closes one whose peer acknowledges nothing. Must be called for each
   * request: an agent that pools a connection has it probed each second meanwhile.
   */
  keep(socket: Socket): void {
    // Before the connection is established, libuv accepts no interval for the probes.
    if (socket.connecting) socket.once('connect', () => this.#probe(socket));
    else this.#probe(socket);
    if (this.#kept.has(socket)) return;
    this.#kept.add(socket);
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ETIMEDOUT') this.cut('vanished');
    });
    this.settings.vanished?.add(socket, () => this.cut('vanished'));
  }

  /** Counts a connection or stream that is cut. */
  cut(reason: CutReason): void {
    this.settings.onCut?.(reason);
  }

  #probe(socket: Socket): void {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, this.#idleMs);
  }
}
