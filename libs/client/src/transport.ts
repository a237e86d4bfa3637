import { orAborted } from '@orch/runtime';
import { Agent } from './agent.js';
import { wholeBody } from './answer-body.js';
import { type BinaryForm, isInForm, jsonText } from './binary-form.js';
import type { Connection } from './connection.js';
import { type Address, type AllowsAddress, connectorFor } from './connector.js';
import {
  type Credentials,
  credentialsOf,
  type RequestCredentials,
  sameCredentials,
} from './credentials/credentials.js';
import type { PluginLimits } from './credentials/run-plugin.js';
import { during } from './during.js';
import { ApiError } from './errors.js';
import { impersonationHeaders } from './impersonation-headers.js';
import { type Query, withQuery } from './paths.js';
import { Pools } from './pools.js';
import { redirectedTo } from './redirects.js';
import { type Sleep, timerSleep } from './sleep.js';

/** Settings of a transport; everything has a default. */
export interface TransportSettings {
  /** `User-Agent` header. Default `client`. */
  readonly userAgent?: string;
  /** Milliseconds that the server may take to answer, and between parts of an answer. Default 60,000. */
  readonly timeoutMs?: number;
  /** Maximum number of retries when the server asks for them (429 or 5xx with `Retry-After`). Default 10. */
  readonly maxRetries?: number;
  /** Implementation of waits between attempts. Default: timers. */
  readonly sleep?: Sleep;
  /**
   * Returns the address to connect to; called for each connection. Certificates must still have the server's name.
   * Default: its host and port.
   */
  readonly addressOf?: () => Promise<Address>;
  /** Addresses that connections may go to, unless they go through a proxy. Default: all. */
  readonly allowsAddress?: AllowsAddress;
  /** Maximum number of connections; requests beyond wait for one. Default: no limit. */
  readonly maxConnections?: number;
  /** Maximum bytes of an answer; 0 for no limit. Default 0. */
  readonly maxAnswerBytes?: number;
  /** Limits of a credential plugin. */
  readonly plugin?: PluginLimits;
  /** Form in which objects are requested and sent where they have it. Default: JSON. */
  readonly form?: BinaryForm;
  /** Returns milliseconds since 1970, for expiry. Default `Date.now`. */
  readonly now?: () => number;
}

/** The methods that the API knows. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Parts of a request beside method and path; all optional. */
export interface RawRequest {
  /** Appended to the path, which must not have a query of its own then. */
  readonly query?: Query;
  /**
   * Headers, names in lower case. They override `Accept: application/json`, `User-Agent`, and the connection's
   * `Authorization` and, by `impersonate-user`, its impersonation.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent as it is; its media type is in `headers`. */
  readonly body?: string | Buffer;
  /** Aborts the request: the promise rejects with the signal's reason. A write may have taken effect. */
  readonly signal?: AbortSignal;
}

/** A successful answer (2xx); others are thrown. */
export interface RawResponse {
  /** The HTTP status, 200 to 299. */
  readonly status: number;
  /** Headers, names in lower case; a list if one came more than once. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The whole body, as it was sent; empty when there was none. */
  readonly body: Buffer;
}

/** Maximum number of calls for one request, through redirects (net/http of Go). */
const MOST_CALLS = 10;

/** HTTP/1.1 with pooled connections; one for every request in flight, so that a watch never blocks another request. */
export class Transport {
  /** Form of the settings. */
  readonly form: BinaryForm | undefined;
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

  /** @throws CredentialsError for unusable credentials, Error for an invalid proxy */
  constructor(connection: Connection, settings: TransportSettings = {}) {
    const url = new URL(connection.server);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/$/, '');
    this.#timeoutMs = settings.timeoutMs ?? 60_000;
    this.#maxRetries = settings.maxRetries ?? 10;
    this.form = settings.form;
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

  /**
   * Sends a request and returns the whole answer. Throws {@link ApiError} for every status but 2xx,
   * {@link TransportError} when there is none.
   */
  async request(method: HttpMethod, path: string, request: RawRequest = {}): Promise<RawResponse> {
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

  async #once(method: HttpMethod, path: string, request: RawRequest): Promise<RawResponse> {
    const answer = await this.#followed(method, this.#target(path, request), request);
    const { statusCode, headers } = answer;
    const body = await wholeBody(answer, this.#maxAnswerBytes, request.signal);
    if (statusCode < 200 || statusCode > 299) throw this.#refusal(statusCode, headers, body);
    return { status: statusCode, headers, body };
  }

  /** Follows redirects of the same request within the server; other redirects are answers. */
  async #followed(method: HttpMethod, target: string, request: RawRequest) {
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
   * Yields an answer in pieces, as the server sends it; leaving the loop closes the connection. `idleMs`: silence after
   * which the connection counts as dead. `onType` is called with the media type before the first piece. Throws as
   * {@link request}.
   */
  async *stream(
    path: string,
    request: RawRequest,
    idleMs: number,
    onType: (contentType: unknown) => void = () => {},
  ): AsyncGenerator<Buffer, void> {
    const answer = await this.#send('GET', this.#target(path, request), request, idleMs, false);
    const { statusCode, headers, body, pool } = answer;
    pool.streams.add(body);
    try {
      if (statusCode !== 200) {
        throw this.#refusal(statusCode, headers, await wholeBody(answer, this.#maxAnswerBytes, request.signal));
      }
      onType(headers['content-type']);
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
  async #send(method: HttpMethod, target: string, request: RawRequest, bodyTimeout: number, compress: boolean) {
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
    method: HttpMethod,
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
        // By default, a connection is not used again after a deletion with a body. The API reads all bodies.
        reset: false,
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      }),
    );
    return { ...answer, pool };
  }

  /** Accepts no more requests, and closes each connection when nothing is in flight on it. */
  end(): Promise<void> {
    this.#forgetCertificates();
    return this.#pools.end();
  }

  /** Closes all connections, also of requests in flight. */
  close(): Promise<void> {
    this.#forgetCertificates();
    return this.#pools.close();
  }

  #refusal(code: number, headers: RawResponse['headers'], body: Buffer): ApiError {
    const retryAfter = headers['retry-after'];
    const text = isInForm(this.form, headers['content-type']) ? asJson(this.form, body) : body.toString();
    return ApiError.fromResponse(code, text, typeof retryAfter === 'string' ? retryAfter : undefined);
  }
}

/** An error's body as JSON; empty where it cannot be read. */
function asJson(form: BinaryForm, body: Buffer): string {
  try {
    return jsonText(form.decode(body));
  } catch {
    return '';
  }
}
