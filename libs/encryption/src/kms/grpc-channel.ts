import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { createConnection } from 'node:net';
import { codeOf, GrpcError } from './grpc-status.js';

/** Before a message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
/** Of an answer. */
const LONGEST_ANSWER = 1 << 20;
/** Milliseconds between attempts to connect, within the time of a call. */
const RECONNECT_MS = 100;

/** Calls over a socket of this machine, one connection for all of them. What cannot be reached is waited for as long as a call may take. */
export class GrpcChannel {
  #session: ClientHttp2Session | undefined;
  #closed = false;

  /** @param path of a Unix socket; `@name` for one that is no file */
  constructor(private readonly path: string) {}

  /**
   * One request, one answer.
   * @param timeout milliseconds
   * @throws GrpcError
   */
  async call(method: string, request: Uint8Array, timeout: number): Promise<Buffer> {
    const deadline = performance.now() + timeout;
    const session = await this.#connected(deadline);
    return new Promise((resolve, reject) => {
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: method,
        'content-type': 'application/grpc',
        te: 'trailers',
        'grpc-timeout': `${Math.max(1, Math.ceil(deadline - performance.now()))}m`,
      });
      answerOf(stream, deadline).then(resolve, reject);
      stream.end(framed(request));
    });
  }

  /** Ends the connection; calls under way fail. */
  close(): void {
    this.#closed = true;
    this.#session?.destroy();
  }

  async #connected(deadline: number): Promise<ClientHttp2Session> {
    for (;;) {
      if (this.#closed) throw new GrpcError('Canceled', 'the connection is closed');
      const session = this.#session;
      if (session && !session.closed && !session.destroyed) return session;
      const outcome = await this.#connect(deadline);
      if (!(outcome instanceof Error)) return outcome;
      if (performance.now() + RECONNECT_MS >= deadline)
        throw new GrpcError('Unavailable', outcome.message, { cause: outcome });
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }

  #connect(deadline: number): Promise<ClientHttp2Session | Error> {
    const { path } = this;
    const socketPath = path.startsWith('@') ? `\0${path.slice(1)}` : path;
    return new Promise((resolve) => {
      const session = connect('http://localhost', { createConnection: () => createConnection(socketPath) });
      const timer = setTimeout(
        () => failed(new Error('no connection in time')),
        Math.max(1, deadline - performance.now()),
      );
      const failed = (error: Error): void => {
        clearTimeout(timer);
        session.destroy();
        resolve(error);
      };
      // What happens to it later is told to the calls that are under way.
      session.on('error', failed);
      // Not before the other side has spoken: whoever listens need not speak this language.
      session.once('remoteSettings', () => {
        clearTimeout(timer);
        session.unref();
        this.#session = session;
        resolve(session);
      });
    });
  }
}

/** A message as it travels. */
function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame.writeUInt8(0, 0);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

function answerOf(stream: ClientHttp2Stream, deadline: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    let head: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const fail = (error: GrpcError): void => {
      clearTimeout(timer);
      reject(error);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    const late = () => fail(new GrpcError('DeadlineExceeded', 'context deadline exceeded'));
    const timer = setTimeout(late, Math.max(1, deadline - performance.now()));
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
    stream.on('error', (error: Error) => fail(new GrpcError('Unavailable', error.message, { cause: error })));
    stream.on('close', () => {
      clearTimeout(timer);
      const answer = readAnswer(head, trailers, Buffer.concat(pieces));
      if (answer instanceof GrpcError) reject(answer);
      else resolve(answer);
    });
  });
}

function readAnswer(head: IncomingHttpHeaders, trailers: IncomingHttpHeaders, body: Buffer): Buffer | GrpcError {
  // Where there is no message, what else would come behind it stands in the head.
  const status = trailers['grpc-status'] ?? head['grpc-status'];
  if (status === undefined) {
    const code = head[constants.HTTP2_HEADER_STATUS];
    return new GrpcError(
      'Unavailable',
      code === undefined ? 'the connection was closed' : `answered with HTTP status ${code}`,
    );
  }
  const code = codeOf(String(status));
  if (code !== 'OK') return new GrpcError(code, descriptionOf(trailers['grpc-message'] ?? head['grpc-message']));
  if (body.length < PREFIX_BYTES || body[0] !== 0 || body.readUInt32BE(1) !== body.length - PREFIX_BYTES)
    return new GrpcError('Internal', 'the answer is no message');
  return body.subarray(PREFIX_BYTES);
}

/** Characters of what a plugin says of an error. */
const LONGEST_DESCRIPTION = 1_000;

function descriptionOf(text: string | string[] | undefined): string {
  const said = String(text ?? '').slice(0, LONGEST_DESCRIPTION);
  try {
    return decodeURIComponent(said);
  } catch {
    return said;
  }
}
