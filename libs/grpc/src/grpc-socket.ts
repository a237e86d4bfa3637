import { setMaxListeners } from 'node:events';
import type { Client, CallOptions as ClientCallOptions, Metadata, ServiceError } from '@grpc/grpc-js';
import { systemClock } from '@orch/runtime/clock';
import { codeOf, GrpcError } from './grpc-error.js';

/** Milliseconds between attempts to connect: at first, and at most. A local socket is tried often. */
const RECONNECT_MS = 100;
const LONGEST_RECONNECT_MS = 1_000;

/** Limits of one call. */
interface CallOptions {
  /** Milliseconds until the call fails with `DeadlineExceeded`, or `Unavailable` if there is no connection; absent: unlimited. */
  readonly timeout?: number;
  /** Cancels the call, which fails with `Canceled`. */
  readonly signal?: AbortSignal;
  /** Fails with `Unavailable` at once if connecting fails, without waiting for the timeout. */
  readonly failFast?: boolean;
}

type Library = typeof import('./library.js');

interface Opened {
  readonly grpc: Library;
  readonly client: Client;
}

/** Beginning of the library's words for a deadline that has passed here, and not at the service. */
const OWN_DEADLINE = /^Deadline exceeded after/;

const encoded = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
const same = (bytes: Buffer): Buffer => bytes;

/** Calls to a gRPC service on a Unix socket, over one connection that is made on demand, and again after it was lost. */
export class GrpcSocket {
  readonly #closing = new AbortController();
  #opened: Promise<Opened> | undefined;

  /**
   * @param path of the socket; `@name` for an abstract one
   * @param longestMessage bytes of an answer; longer ones fail with `ResourceExhausted`
   */
  constructor(
    private readonly path: string,
    private readonly longestMessage: number,
  ) {
    // Each call in progress listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /**
   * Makes a call with one answer. A request that the server has not processed before its connection ended is sent once
   * more over another.
   *
   * @param method as `/package.Service/Method`
   * @throws GrpcError
   */
  async call(method: string, request: Uint8Array, options: CallOptions = {}): Promise<Buffer> {
    const opened = await this.#open(options);
    return new Promise((resolve, reject) => {
      const { metadata, limits } = paramsOf(opened, options);
      const call = opened.client.makeUnaryRequest(
        ...([method, encoded, same, request, metadata, limits] as const),
        (error: ServiceError | null, answer?: Buffer) => {
          release();
          if (error) reject(this.#errorOf(error, opened));
          else resolve(answer ?? Buffer.alloc(0));
        },
      );
      const release = this.#cancelWith(() => call.cancel(), options);
    });
  }

  /**
   * Makes a call with a stream of answers, which ends when the service ends it, or the signal aborts.
   *
   * @throws GrpcError while it is read
   */
  async *stream(method: string, request: Uint8Array, options: CallOptions = {}): AsyncGenerator<Buffer> {
    if (options.signal?.aborted) return;
    const opened = await this.#open(options);
    const { metadata, limits } = paramsOf(opened, options);
    const call = opened.client.makeServerStreamRequest(method, encoded, same, request, metadata, limits);
    const release = this.#cancelWith(() => call.cancel(), options);
    try {
      for await (const answer of call) yield answer as Buffer;
    } catch (error) {
      if (!options.signal?.aborted) throw this.#errorOf(error as ServiceError, opened);
    } finally {
      release();
      call.cancel();
    }
  }

  /** Closes the connection, also one being opened; calls in progress fail, and so do later ones, with `Canceled`. */
  close(): void {
    this.#closing.abort();
    void this.#opened?.then(({ client }) => client.close());
  }

  async #open({ signal }: CallOptions): Promise<Opened> {
    this.#opened ??= openClient(this.path, this.longestMessage);
    const opened = await this.#opened;
    if (this.#closing.signal.aborted) throw new GrpcError('Canceled', 'the connection is closed');
    if (signal?.aborted) throw new GrpcError('Canceled', 'context canceled');
    return opened;
  }

  /** Cancels a call when its signal aborts or the connection is closed, until the returned function is called. */
  #cancelWith(cancel: () => void, { signal }: CallOptions): () => void {
    const signals = signal ? [signal, this.#closing.signal] : [this.#closing.signal];
    for (const each of signals) each.addEventListener('abort', cancel);
    return () => {
      for (const each of signals) each.removeEventListener('abort', cancel);
    };
  }

  #errorOf(error: ServiceError, { grpc, client }: Opened): GrpcError {
    if (this.#closing.signal.aborted) return new GrpcError('Canceled', 'the connection is closed', { cause: error });
    const code = codeOf(error.code);
    if (code !== 'DeadlineExceeded' || !OWN_DEADLINE.test(error.details))
      return new GrpcError(code, error.details, { cause: error });
    const isConnected = client.getChannel().getConnectivityState(false) === grpc.connectivityState.READY;
    return isConnected
      ? new GrpcError(code, 'context deadline exceeded', { cause: error })
      : new GrpcError('Unavailable', 'no connection in time', { cause: error });
  }
}

/** Opens a client. The library is loaded with the first one: it takes longer than all else that a process without one loads. */
async function openClient(path: string, longestMessage: number): Promise<Opened> {
  const grpc = await import('./library.js');
  const target = `unix:${path.startsWith('@') ? `\0${path.slice(1)}` : path}`;
  const client = new grpc.Client(target, grpc.credentials.createInsecure(), {
    'grpc.max_receive_message_length': longestMessage,
    'grpc.max_send_message_length': longestMessage,
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS,
    'grpc.max_reconnect_backoff_ms': LONGEST_RECONNECT_MS,
    // A connection is this client's own, and ends with it.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_channelz': 0,
  });
  return { grpc, client };
}

/** Parameters of a call of the library. */
interface CallParams {
  readonly metadata: Metadata;
  readonly limits: ClientCallOptions;
}

function paramsOf({ grpc }: Opened, { timeout, failFast = false }: CallOptions): CallParams {
  const metadata = new grpc.Metadata({ waitForReady: !failFast });
  return { metadata, limits: timeout === undefined ? {} : { deadline: new Date(systemClock.wall() + timeout) } };
}
