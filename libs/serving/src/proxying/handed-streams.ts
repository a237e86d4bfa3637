import { setTimeout as pause } from 'node:timers/promises';
import type { StatusError } from '@orch/machinery';
import type { RequestContext } from '../http/context.js';
import { OutgoingConnections } from '../sockets/outgoing-connections.js';
import { handedLifetimeMs, type WatchLimits } from './handed-lifetime.js';
import type { HandedWatch } from './handed-watch.js';

/** A stream that another process serves. */
export type HandedStream = Pick<HandedWatch, 'end'>;

/** Settings of {@link HandedStreams}. */
export interface HandedStreamsSettings {
  /** Detects vanished peers of the streams' connections. Default: the kernel alone, with keep-alive probes. */
  readonly connections?: OutgoingConnections;
  /** Limits on the lifetime of watches. Default: those of the other server. */
  readonly limits?: WatchLimits;
  /** Milliseconds after the other server's timeout at which this one ends a watch. Default 10,000. */
  readonly graceMs?: number;
}

/** Enough for the last bookmark of the other server, and the orderly end of its stream. */
const GRACE_MS = 10_000;

/** Registry of the streams that other processes serve for clients of this one; ends them when this process ends. */
export class HandedStreams {
  /** Outgoing connections of the streams, observed for peers that have vanished. */
  readonly connections: OutgoingConnections;
  readonly #limits: HandedStreamsSettings['limits'];
  readonly #graceMs: number;
  readonly #open = new Set<HandedStream>();
  #draining = false;

  constructor({ connections = new OutgoingConnections(), limits, graceMs = GRACE_MS }: HandedStreamsSettings = {}) {
    this.connections = connections;
    this.#limits = limits;
    this.#graceMs = graceMs;
  }

  /** Number of open streams. */
  get size(): number {
    return this.#open.size;
  }

  /** Whether the process is shutting down, so that no stream may begin. */
  get draining(): boolean {
    return this.#draining;
  }

  /**
   * Registers a stream until the response of its request is over. A watch ends with the timeout that its client asked
   * for, even if the other server does not end it.
   * @param lastOf encodes the last frame, which holds an error
   */
  add(ctx: RequestContext, stream: HandedStream, lastOf?: (refusal: StatusError) => Buffer): void {
    this.#open.add(stream);
    ctx.res.once('close', () => this.#open.delete(stream));
    ctx.watch?.endBy((refusal) => stream.end(lastOf?.(refusal)));
    if (this.#limits && ctx.info.verb === 'watch') this.#endInTime(ctx, stream, this.#limits);
    // It was requested before the drain, and answered after it.
    if (this.#draining) stream.end();
  }

  /** Ends all streams in order, spread over `spread` milliseconds. Resolves when the last one has been ended. */
  async drain(spread: number): Promise<void> {
    this.#draining = true;
    const [start, streams] = [performance.now(), [...this.#open]];
    for (const [number, stream] of streams.entries()) {
      if (!this.#open.has(stream)) continue;
      const wait = start + (spread * number) / streams.length - performance.now();
      if (wait > 0) await pause(wait);
      stream.end();
    }
  }

  #endInTime(
    { query, res }: RequestContext,
    stream: HandedStream,
    limits: NonNullable<HandedStreamsSettings['limits']>,
  ) {
    const timer = setTimeout(() => {
      this.connections.cut('deadline');
      stream.end();
    }, handedLifetimeMs(query, limits) + this.#graceMs);
    res.once('close', () => clearTimeout(timer));
  }
}
