import { type ClientHttp2Session, type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { GrpcConnection, msUntil } from './grpc-connection.js';
import { framed, readAnswer } from './grpc-message.js';
import { GrpcError } from './grpc-status.js';

/** Bytes of an answer. */
const LONGEST_ANSWER = 1 << 20;

/** Calls over a local socket, one connection for all. A call waits for the connection as long as its timeout allows. */
export class GrpcChannel {
  readonly #connection: GrpcConnection;

  /** @param path of a Unix socket; `@name` for an abstract one */
  constructor(path: string) {
    this.#connection = new GrpcConnection(path);
  }

  /**
   * Makes a unary call. A request that the server has not processed before its connection ended is sent once more over
   * another.
   * @param timeout milliseconds
   * @throws GrpcError
   */
  async call(method: string, request: Uint8Array, timeout: number): Promise<Buffer> {
    const deadline = performance.now() + timeout;
    try {
      return await this.#ask(method, request, deadline);
    } catch (error) {
      if (!(error instanceof NotLookedAtError)) throw error;
      return await this.#ask(method, request, deadline);
    }
  }

  /** Closes the connection, also one being opened; calls in progress fail. */
  close(): void {
    this.#connection.close();
  }

  /** @throws GrpcError, or its subclass NotLookedAtError */
  async #ask(method: string, request: Uint8Array, deadline: number): Promise<Buffer> {
    const session = await this.#connection.session(deadline);
    try {
      return await answerOf(requested(session, method, deadline), request, deadline);
    } catch (error) {
      if (error instanceof NotLookedAtError) this.#connection.leave(session);
      throw error;
    }
  }
}

/** Thrown when a call was not processed: it may be repeated, whatever it does. */
class NotLookedAtError extends GrpcError {
  constructor(cause: Error | undefined) {
    super('Unavailable', cause?.message ?? 'the connection was closed', { cause });
  }
}

/** @throws NotLookedAtError */
function requested(session: ClientHttp2Session, method: string, deadline: number): ClientHttp2Stream {
  try {
    return session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: method,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': `${Math.ceil(msUntil(deadline))}m`,
    });
  } catch (cause) {
    // It has just ended.
    throw new NotLookedAtError(cause as Error);
  }
}

function answerOf(stream: ClientHttp2Stream, request: Uint8Array, deadline: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    let head: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    let failure: Error | undefined;
    const fail = (error: GrpcError): void => {
      clearTimeout(timer);
      reject(error);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    const late = () => fail(new GrpcError('DeadlineExceeded', 'context deadline exceeded'));
    const timer = setTimeout(late, msUntil(deadline));
    stream.on('response', (headers) => {
      head = headers;
    });
    stream.on('trailers', (headers) => {
      trailers = headers;
    });
    stream.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > LONGEST_ANSWER) fail(new GrpcError('ResourceExhausted', 'the answer is too long'));
      else pieces.push(piece);
    });
    stream.on('error', (error: Error) => {
      failure = error;
    });
    stream.on('close', () => {
      clearTimeout(timer);
      if (wasTurnedAway(stream)) return reject(new NotLookedAtError(failure));
      if (failure) return reject(new GrpcError('Unavailable', failure.message, { cause: failure }));
      const answer = readAnswer(head, trailers, Buffer.concat(pieces));
      if (answer instanceof GrpcError) reject(answer);
      else resolve(answer);
    });
    stream.end(framed(request));
  });
}

/** Whether a stream was refused, is beyond the last one that a closing connection announced, or was never sent. */
const wasTurnedAway = ({ rstCode, id }: ClientHttp2Stream): boolean =>
  rstCode === constants.NGHTTP2_REFUSED_STREAM || id === undefined;
