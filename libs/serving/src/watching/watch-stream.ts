import type { Socket } from 'node:net';
import type { WatchSink } from '@orch/watchcache';
import type { RequestContext } from '../http/context.js';
import { baseHeaders } from '../http/respond.js';
import { LAST_CHUNK } from './frames.js';
import { WatchOutput, type WatchOutputs } from './watch-output.js';

/** Idle time after which the kernel probes whether the client is still there. */
export const KEEP_ALIVE_MS = 30_000;
/** Time for the output of an ended stream to be sent, before the connection is cut. */
export const LINGER_MS = 10_000;

/** Resolves with the connection, once earlier responses on it have been sent; undefined when the client is gone. */
export async function connectionOf({ req, res }: RequestContext): Promise<Socket | undefined> {
  if (!res.socket && !req.socket.destroyed) {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        res.off('socket', done);
        req.socket.off('close', done);
        resolve();
      };
      res.on('socket', done);
      req.socket.on('close', done);
    });
  }
  return res.socket?.destroyed === false ? res.socket : undefined;
}

/**
 * A watch over HTTP/1.1: the head goes out through node's response, the body straight to the socket, as frames are
 * complete chunks already. The connection ends with the stream, as node has not seen the body.
 */
export class WatchStream implements WatchSink {
  readonly #output: WatchOutput;
  #ended = false;

  constructor(
    private readonly socket: Socket,
    private readonly contentType: string,
    outputs: WatchOutputs,
  ) {
    this.#output = new WatchOutput(socket, outputs);
  }

  /** Sends the head: from here on errors can only be events. Calls back once, when the connection is closed. */
  open(ctx: RequestContext, onClose: () => void): void {
    const { socket } = this;
    const headers = { ...baseHeaders(ctx, this.contentType), 'Transfer-Encoding': 'chunked', Connection: 'close' };
    ctx.res.writeHead(200, headers);
    ctx.res.flushHeaders();
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.setTimeout(0);
    this.#output.open(onClose);
  }

  write(frames: Buffer): boolean {
    return this.#ended || this.#output.write(frames);
  }

  writePieces(pieces: readonly Buffer[]): boolean {
    return this.#ended || this.#output.writePieces(pieces);
  }

  get departures(): number {
    return this.#output.departures;
  }

  onDrain(callback: () => void): void {
    this.#output.onDrain(callback);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.socket.setTimeout(LINGER_MS, () => this.socket.destroy());
    this.#output.end(LAST_CHUNK);
  }
}
