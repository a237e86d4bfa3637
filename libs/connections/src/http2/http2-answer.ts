import type { IncomingHttpHeaders } from 'node:http';
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders as Http2Headers } from 'node:http2';
import { Readable } from 'node:stream';
import { leaveStream } from './leave-stream.js';

const { NGHTTP2_NO_ERROR } = constants;

/** A response over HTTP/2 in the shape of one over HTTP/1.1. */
export class Http2Answer extends Readable {
  /** Empty: nothing reads the original spelling of headers. */
  rawHeaders: string[] = [];
  /** Status code; may be changed. */
  statusCode: number;
  /** Headers of the response, in lower case; may be changed. */
  headers: IncomingHttpHeaders;
  /** Whether the whole body has arrived. */
  complete = false;

  /** @param stream stream whose response headers have just arrived */
  constructor(
    private readonly stream: ClientHttp2Stream,
    { ':status': status, ...headers }: Http2Headers,
  ) {
    super();
    this.statusCode = Number(status);
    this.headers = headers;
    stream.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) stream.pause();
    });
    stream.once('end', () => {
      // A stream that was reset ends, too.
      this.complete = stream.rstCode === NGHTTP2_NO_ERROR && !stream.aborted;
      if (this.complete) this.push(null);
      else this.destroy();
    });
    stream.once('close', () => {
      if (!this.complete) this.destroy();
    });
    stream.pause();
  }

  override _read(): void {
    this.stream.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    leaveStream(this.stream);
    callback(error);
  }
}
