import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type Sleep, timerSleep } from './backoff.js';
import type { Connection } from './connection.js';
import { ApiError, TransportError } from './errors.js';
import { type Query, withQuery } from './paths.js';

/** How requests are sent; everything has a default. */
export interface TransportSettings {
  /** `User-Agent` header. Default `client`. */
  readonly userAgent?: string;
  /** How long the server may take to answer, and to go on with an answer, ms. Default 60,000. */
  readonly timeoutMs?: number;
  /** How often a request is tried again when the server asks for it (429 or 5xx with `Retry-After`). Default 10. */
  readonly maxRetries?: number;
  /** How waits between attempts pass. Default: timers. */
  readonly sleep?: Sleep;
  /** Where connections to the server go; asked for each new one. Certificates must still bear the server's name. Default: its host and port. */
  readonly addressOf?: () => Promise<Address>;
  /** Bytes of an answer beyond which it is given up; 0 for no bound. Default 0. */
  readonly maxAnswerBytes?: number;
}

/** Where something listens. */
export interface Address {
  /** Name or IP address. */
  readonly host: string;
  /** TCP port, 1 to 65535. */
  readonly port: number;
}

/** The methods that the API knows. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What goes with a method and a path; everything may be left out. */
export interface RawRequest {
  /** Added to the path, which must have no query of its own then. */
  readonly query?: Query;
  /** Names in lower case. They replace `Accept: application/json`, `User-Agent` and the connection's `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is; its media type stands in `headers`. */
  readonly body?: string | Buffer;
  /** Gives the request up: the promise rejects with the signal's reason. A write may have taken effect. */
  readonly signal?: AbortSignal;
}

/** An answer of the 200s; others are thrown. */
export interface RawResponse {
  /** The HTTP status, 200 to 299. */
  readonly status: number;
  /** Names in lower case; a list where a header came more than once. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whole, as it was sent; empty when there was none. */
  readonly body: Buffer;
}

/** HTTP/1.1 with kept connections; one for every request in flight, so a watch never blocks another request. */
export class Transport {
  readonly #agent: Agent;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;
  readonly #sleep: Sleep;

  constructor(connection: Connection, settings: TransportSettings = {}) {
    const authorization = authorizationOf(connection);
    const url = new URL(connection.server);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/$/, '');
    this.#timeoutMs = settings.timeoutMs ?? 60_000;
    this.#maxRetries = settings.maxRetries ?? 10;
    this.#sleep = settings.sleep ?? timerSleep;
    this.#headers = {
      'user-agent': settings.userAgent ?? 'client',
      ...(authorization !== undefined && { authorization }),
    };
    this.#agent = new Agent({
      allowH2: false,
      maxResponseSize: settings.maxAnswerBytes || -1,
      connect: connectorOf(connection, settings.addressOf),
    });
  }

  /** A whole answer. Throws {@link ApiError} for every status but 2xx, {@link TransportError} when there is none. */
  async request(method: Method, path: string, request: RawRequest = {}): Promise<RawResponse> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(method, path, request);
      } catch (error) {
        const waitMs =
          error instanceof ApiError && (error.code === 429 || error.code >= 500) ? error.retryAfterMs : undefined;
        if (waitMs === undefined || attempt >= this.#maxRetries) throw error;
        await this.#sleep(waitMs, request.signal);
        request.signal?.throwIfAborted();
      }
    }
  }

  async #once(method: Method, path: string, request: RawRequest): Promise<RawResponse> {
    const { statusCode, headers, body } = await this.#send(method, path, request, this.#timeoutMs);
    const bytes = await during(request.signal, async () => Buffer.from(await body.arrayBuffer()));
    if (statusCode < 200 || statusCode > 299) throw refusal(statusCode, headers, bytes);
    return { status: statusCode, headers, body: bytes };
  }

  /**
   * An answer piece by piece, as the server sends it; leaving the loop closes the connection.
   * `idleMs`: how long nothing may come before the connection is taken for dead. Throws as {@link request}.
   */
  async *stream(path: string, request: RawRequest, idleMs: number): AsyncGenerator<Buffer, void> {
    const { statusCode, headers, body } = await this.#send('GET', path, request, idleMs);
    try {
      if (statusCode !== 200) {
        throw refusal(
          statusCode,
          headers,
          await during(request.signal, async () => Buffer.from(await body.arrayBuffer())),
        );
      }
      const pieces: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
      for (;;) {
        const { value, done } = await during(request.signal, () => pieces.next());
        if (done) return;
        yield value;
      }
    } finally {
      // A body that is thrown away half-read ends in an error, which is nobody's concern any more.
      body.on('error', () => {}).destroy();
    }
  }

  #send(method: Method, path: string, request: RawRequest, bodyTimeout: number): Promise<Dispatcher.ResponseData> {
    const { query, headers, body, signal } = request;
    return during(signal, () =>
      this.#agent.request({
        origin: this.#origin,
        path: withQuery(this.#prefix + path, query),
        method,
        headers: { accept: 'application/json', ...this.#headers, ...headers },
        headersTimeout: this.#timeoutMs,
        bodyTimeout,
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      }),
    );
  }

  /** Takes no more requests, and closes each connection when nothing is in flight on it. */
  end(): Promise<void> {
    return this.#agent.close();
  }

  /** Closes all connections, also of requests in flight. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function authorizationOf({ token, basic }: Connection): string | undefined {
  if (token !== undefined) return `Bearer ${token}`;
  return basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
}

function connectorOf(
  { ca, cert, key, tlsServerName, insecureSkipTlsVerify }: Connection,
  addressOf: TransportSettings['addressOf'],
): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(tlsServerName !== undefined && { servername: tlsServerName }),
    rejectUnauthorized: !insecureSkipTlsVerify,
  });
  if (!addressOf) return connect;
  return (options, callback) => {
    addressOf().then(
      ({ host, port }) => {
        const servername = options.servername ?? tlsServerName ?? options.hostname;
        connect({ ...options, hostname: host, port: String(port), servername }, callback);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

function refusal(code: number, headers: RawResponse['headers'], body: Buffer): ApiError {
  const retryAfter = headers['retry-after'];
  return ApiError.fromResponse(code, body.toString(), typeof retryAfter === 'string' ? retryAfter : undefined);
}

/** Failures of the connection become {@link TransportError}; an abort stays the signal's reason. */
async function during<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new TransportError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
