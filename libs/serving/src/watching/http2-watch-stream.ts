import { constants, type ServerHttp2Stream } from 'node:http2';
import type { WatchSink } from '@orch/watchcache';
import type { RequestContext } from '../http/context.js';
import { baseHeaders } from '../http/respond.js';
import { WatchOutput, type WatchOutputs } from './watch-output.js';
import { LINGER_MS } from './watch-stream.js';

/**
 * A watch over HTTP/2: one stream among many of its connection. Bytes beyond its window wait here, for it alone; writes
 * of a connection's streams in one turn of the event loop leave together.
 */
export class Http2WatchStream implements WatchSink {
  readonly #output: WatchOutput;
  #ended = false;

  constructor(
    private readonly stream: ServerHttp2Stream,
    private readonly contentType: string,
    outputs: WatchOutputs,
  ) {
    this.#output = new WatchOutput(stream, outputs);
  }

  /** Sends the head: from here on errors can only be events. Calls back once, when the stream is closed. */
  open(ctx: RequestContext, onClose: () => void): void {
    ctx.res.writeHead(200, baseHeaders(ctx, this.contentType));
    this.#output.open(onClose);
  }

  write(frames: Buffer): boolean {
    return this.#ended || this.stream.destroyed || this.#output.write(frames);
  }

  writePieces(pieces: readonly Buffer[]): boolean {
    return this.#ended || this.stream.destroyed || this.#output.writePieces(pieces);
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
    this.stream.setTimeout(LINGER_MS, () => this.stream.close(constants.NGHTTP2_CANCEL));
    this.#output.end();
  }
}
