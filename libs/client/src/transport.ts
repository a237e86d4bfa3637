import { Agent } from 'undici';
import { wholeBody } from './answer-body.js';
import type { Connection } from './connection.js';
import { type Address, type AllowsAddress, connectorFor } from './connector.js';
import {
  type Credentials,
  credentialsOf,
  type RequestCredentials,
  sameCredentials,
} from './credentials/credentials.js';
import type { PluginLimits } from './credentials/run-plugin.js';
import { during, orAborted } from './during.js';
import { ApiError } from './errors.js';
import { impersonationHeaders } from './impersonation-headers.js';
import { type Query, withQuery } from './paths.js';
import { Pools } from './pools.js';
import { redirectedTo } from './redirects.js';
import { type Sleep, timerSleep } from './sleep.js';

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
  /**
   * Returns the address to connect to; called for each connection. Certificates must still have the server's name.
   * Default: its host and port.
   */
  readonly addressOf?: () => Promise<Address>;
  /** Addresses that connections may go to, unless they go through a proxy. Default: all. */
  readonly allowsAddress?: AllowsAddress;
  /** Connections at a time; requests beyond wait for one. Default: no bound. */
  readonly maxConnections?: number;
  /** Bytes of an answer beyond which it is given up; 0 for no bound. Default 0. */
  readonly maxAnswerBytes?: number;
  /** Limits of a credential plugin. */
  readonly plugin?: PluginLimits;
  /** Milliseconds since 1970, for what expires. Default `Date.now`. */
  readonly now?: () => number;
}

/** The methods that the API knows. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Parts of a request beside method and path; all optional. */
export interface RawRequest {
  /** Added to the path, which must have no query of its own then. */
  readonly query?: Query;
  /** Names in lower case. They replace `Accept: application/json`, `User-Agent`, and the connection's `Authorization` and, by `impersonate-user`, whom it impersonates. */
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

/** Calls that one request comes to by redirects, at most (net/http of Go). */
const MOST_CALLS = 10;

/** HTTP/1.1 with kept connections; one for every request in flight, so a watch never blocks another request. */
export class Transport {
  readonly #origin: string;
  readonly #prefix: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #impersonation: Readonly<Record<string, string | string[]>>;
  readonly #compress: boolean;
  readonly #maxAnswerBytes: number;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;
  readonly #sleep: Sleep;
  readonly #credentials: Credentials;
  /** Credentials that the server has accepted. */
  readonly #proven = new WeakSet<RequestCredentials>();
  readonly #forgetCertificates: () => void;
  readonly #pools: Pools;

  /** @throws CredentialsError for credentials that cannot be used, Error for a proxy that cannot */
  constructor(connection: Connection, settings: TransportSettings = {}) {
    const url = new URL(connection.server);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/$/, '');
    this.#timeoutMs = settings.timeoutMs ?? 60_000;
    this.#maxRetries = settings.maxRetries ?? 10;
    this.#sleep = settings.sleep ?? timerSleep;
    this.#headers = { accept: 'application/json', 'user-agent': settings.userAgent ?? 'client' };
    this.#impersonation = connection.impersonate ? impersonationHeaders(connection.impersonate) : {};
    this.#compress = !connection.disableCompression;
    this.#maxAnswerBytes = settings.maxAnswerBytes ?? 0;
    this.#pools = new Pools((certificate) => {
      const { addressOf, allowsAddress: allows } = settings;
      const connect = connectorFor(connection, { certificate, addressOf, allows });
      return new Agent({
        allowH2: false,
        connections: settings.maxConnections ?? null,
        maxResponseSize: this.#maxAnswerBytes || -1,
        connect,
      });
    });
    const { now = Date.now, plugin } = settings;
    this.#credentials = credentialsOf(connection, { ...plugin, now });
    this.#forgetCertificates = this.#credentials.onCertificate((certificate) => void this.#pools.show(certificate));
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
    const answer = await this.#followed(method, this.#target(path, request), request);
    const { statusCode, headers } = answer;
    const body = await wholeBody(answer, this.#maxAnswerBytes, request.signal);
    if (statusCode < 200 || statusCode > 299) throw refusal(statusCode, headers, body);
    return { status: statusCode, headers, body };
  }

  /** Follows what sends the same request elsewhere on the same server; other redirects are answers. */
  async #followed(method: Method, target: string, request: RawRequest) {
    for (let at = target, call = 1; ; call++) {
      const answer = await this.#send(method, at, request, this.#timeoutMs, this.#compress);
      const next = call < MOST_CALLS ? redirectedTo(answer, this.#origin, at) : undefined;
      if (next === undefined) return answer;
      void answer.body.dump();
      at = next;
    }
  }

  #target(path: string, { query }: RawRequest): string {
    return withQuery(this.#prefix + path || '/', query);
  }

  /**
   * An answer piece by piece, as the server sends it; leaving the loop closes the connection.
   * `idleMs`: how long nothing may come before the connection is taken for dead. Throws as {@link request}.
   */
  async *stream(path: string, request: RawRequest, idleMs: number): AsyncGenerator<Buffer, void> {
    const answer = await this.#send('GET', this.#target(path, request), request, idleMs, false);
    const { statusCode, headers, body, pool } = answer;
    pool.streams.add(body);
    try {
      if (statusCode !== 200) {
        throw refusal(statusCode, headers, await wholeBody(answer, this.#maxAnswerBytes, request.signal));
      }
      const pieces: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
      for (;;) {
        const { value, done } = await during(request.signal, () => pieces.next());
        if (done) return;
        yield value;
      }
    } finally {
      pool.streams.delete(body);
      // A body that is destroyed half-read emits an error, which is irrelevant by then.
      body.on('error', () => {}).destroy();
    }
  }

  /**
   * Sends a request with the current credentials. Credentials that the server accepted once and refuses now have been
   * revoked early: the request is sent again with others, if there are any. Credentials that never worked are not
   * renewed.
   */
  async #send(method: Method, target: string, request: RawRequest, bodyTimeout: number, compress: boolean) {
    const send = (credentials: RequestCredentials) =>
      this.#sendWith(credentials, method, target, request, bodyTimeout, compress);
    const { certificate } = this.#pools.current;
    if (request.headers?.authorization !== undefined) return send({ ...(certificate && { certificate }) });
    const credentials = await during(request.signal, () => orAborted(this.#credentials.read(), request.signal));
    const answer = await send(credentials);
    if (answer.statusCode !== 401) {
      this.#proven.add(credentials);
      return answer;
    }
    this.#credentials.expire(credentials);
    if (!this.#proven.has(credentials)) return answer;
    const others = await orAborted(this.#credentials.read(), request.signal).catch(() => credentials);
    if (sameCredentials(others, credentials)) return answer;
    void answer.body.dump();
    const second = await send(others);
    if (second.statusCode === 401) this.#credentials.expire(others);
    else this.#proven.add(others);
    return second;
  }

  async #sendWith(
    { authorization, certificate }: RequestCredentials,
    method: Method,
    path: string,
    { headers, body, signal }: RawRequest,
    bodyTimeout: number,
    compress: boolean,
  ) {
    const pool = this.#pools.show(certificate);
    const answer = await during(signal, () =>
      pool.agent.request({
        origin: this.#origin,
        path,
        method,
        headers: {
          ...this.#headers,
          ...(compress && { 'accept-encoding': 'gzip' }),
          ...(authorization !== undefined && { authorization }),
          ...(headers?.['impersonate-user'] === undefined && this.#impersonation),
          ...headers,
        },
        headersTimeout: this.#timeoutMs,
        bodyTimeout,
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      }),
    );
    return { ...answer, pool };
  }

  /** Takes no more requests, and closes each connection when nothing is in flight on it. */
  end(): Promise<void> {
    this.#forgetCertificates();
    return this.#pools.end();
  }

  /** Closes all connections, also of requests in flight. */
  close(): Promise<void> {
    this.#forgetCertificates();
    return this.#pools.close();
  }
}

function refusal(code: number, headers: RawResponse['headers'], body: Buffer): ApiError {
  const retryAfter = headers['retry-after'];
  return ApiError.fromResponse(code, body.toString(), typeof retryAfter === 'string' ? retryAfter : undefined);
}
