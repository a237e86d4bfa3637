import { setTimeout as pause } from 'node:timers/promises';
import type { StatusError } from '@orch/machinery';
import type { RequestContext } from '../http/context.js';
import type { HandedWatch } from './handed-watch.js';

/** A stream that another process serves. */
export type HandedStream = Pick<HandedWatch, 'end'>;

/** The streams that other processes serve for clients of this one, which ends them when it ends itself. */
export class HandedStreams {
  readonly #open = new Set<HandedStream>();
  #draining = false;

  /** Streams that are open now. */
  get size(): number {
    return this.#open.size;
  }

  /** No more are to begin. */
  get draining(): boolean {
    return this.#draining;
  }

  /**
   * Keeps a stream until the answer of its request is over.
   * @param lastOf the frame that tells a client of a refusal
   */
  add(ctx: RequestContext, stream: HandedStream, lastOf?: (refusal: StatusError) => Buffer): void {
    this.#open.add(stream);
    ctx.res.once('close', () => this.#open.delete(stream));
    ctx.watch?.endBy((refusal) => stream.end(lastOf?.(refusal)));
    // It was asked for before, and answered after.
    if (this.#draining) stream.end();
  }

  /** Ends all in order, spread over `spread` ms. Resolves when it is the last one's turn. */
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
}
