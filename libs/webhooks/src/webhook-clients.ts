import {
  type Address,
  type AllowsAddress,
  type ClientUser,
  type Connection,
  connectionMessage,
  Transport,
} from '@orch/client';
import {
  destinationOf,
  type ServicePort,
  type ServiceReference,
  servicePort,
  type WebhookClientConfig,
} from './client-config.js';

/** Resolves the address of a service. @throws Error with the reason if it has none */
export type ServiceAddresses = (service: ServicePort) => Promise<Address>;

/** Settings of the calls of webhooks; everything but the addresses has a default. */
export interface WebhookSettings {
  /** Resolves the addresses of services; called for each new connection. */
  readonly addressOf: ServiceAddresses;
  /** Client certificate and key for webhooks, PEM; new ones cause new connections. Default none. */
  readonly credentials?: () => Pick<Connection, 'cert' | 'key'> | undefined;
  /** Returns the credentials for a host, by its name and port; called once for each webhook. Default none. */
  readonly userOf?: (host: string, port: number) => Promise<ClientUser>;
  /** Addresses that connections may go to. Default: all. */
  readonly allowsAddress?: AllowsAddress;
  /** Most webhooks to which connections are kept; the least recently called one is dropped first. Default 200. */
  readonly maxClients?: number;
  /** Most bytes of an answer; a longer one is a failure. Default 16 MiB. */
  readonly maxAnswerBytes?: number;
}

/** A call of a webhook. */
export interface WebhookCall {
  /** Body of the request, JSON. */
  readonly body: string | Buffer;
  /** Time that the whole call may take, ms. */
  readonly timeoutMs: number;
  /** Whether the query contains the timeout, as for webhooks of admission. Default false. */
  readonly sendsTimeout?: boolean;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

/**
 * Thrown for a webhook without a usable answer: unreachable, too slow, not trusted, or with a status other than 2xx.
 */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Thrown for an answer that exceeds the limit. */
export class AnswerTooLarge extends WebhookError {}

/** Code of undici's error for an answer that exceeds the limit. */
const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === TOO_LARGE) || isTooLarge(error.cause));

const USER_AGENT = 'orch-apiserver';
const MIB = 1024 * 1024;

/**
 * Calls webhooks over HTTP/1.1 with keep-alive connections, with one client for each address and authority. Does not
 * retry: the caller knows whether that is safe.
 */
export class WebhookClients {
  /** Clients by address and authority, the least recently called first. */
  readonly #clients = new Map<string, Promise<Transport> | Transport>();
  #shown: Pick<Connection, 'cert' | 'key'> | undefined;

  constructor(private readonly settings: WebhookSettings) {}

  /** Posts a body and returns the body of a 2xx answer. @throws WebhookError, or the reason of the signal */
  async post(config: WebhookClientConfig, { body, timeoutMs, sendsTimeout, signal }: WebhookCall): Promise<Buffer> {
    const { origin, path } = this.#destination(config);
    const query = sendsTimeout ? { timeout: `${Math.ceil(timeoutMs / 1000)}s` } : undefined;
    const limit = AbortSignal.timeout(Math.ceil(timeoutMs));
    const request = {
      body,
      headers: { 'content-type': 'application/json' },
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
      ...(query && { query }),
    };
    try {
      return (await (await this.#client(config, origin)).request('POST', path, request)).body;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const shown = `${origin}${path}${query ? `?timeout=${query.timeout}` : ''}`;
      const why = limit.aborted ? 'context deadline exceeded' : connectionMessage(error);
      const Failure = isTooLarge(error) ? AnswerTooLarge : WebhookError;
      throw new Failure(`Post ${JSON.stringify(shown)}: ${why}`, { cause: error });
    }
  }

  /** Closes all connections, and aborts the calls in flight. */
  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(clients.map(async (client) => (await client).close()));
  }

  #destination(config: WebhookClientConfig) {
    try {
      return destinationOf(config);
    } catch (error) {
      throw new WebhookError(connectionMessage(error), { cause: error });
    }
  }

  #client({ service, caBundle }: WebhookClientConfig, origin: string): Promise<Transport> | Transport {
    this.#show();
    const key = `${origin} ${service ? 'service' : 'url'} ${caBundle ?? ''}`;
    const client = this.#clients.get(key) ?? this.#open(key, service, caBundle, origin);
    this.#clients.delete(key);
    this.#clients.set(key, client);
    this.#forget();
    return client;
  }

  /** Opens a client, after the lookup of its credentials. One that cannot be opened is not kept. */
  #open(
    key: string,
    service: ServiceReference | undefined,
    caBundle: string | undefined,
    server: string,
  ): Promise<Transport> | Transport {
    const { userOf } = this.settings;
    if (!userOf) return this.#connect(service, caBundle, server, this.#shown);
    const { hostname, port } = new URL(server);
    const opening = userOf(hostname.replace(/^\[(.*)\]$/, '$1'), Number(port || 443)).then((user) =>
      this.#connect(service, caBundle, server, { ...this.#shown, ...user }),
    );
    opening.catch(() => {
      if (this.#clients.get(key) === opening) this.#clients.delete(key);
    });
    return opening;
  }

  #connect(
    service: ServiceReference | undefined,
    caBundle: string | undefined,
    server: string,
    user: ClientUser | undefined,
  ): Transport {
    const { addressOf, allowsAddress, maxAnswerBytes = 16 * MIB } = this.settings;
    const connection = { server, ...(caBundle && { ca: Buffer.from(caBundle, 'base64').toString() }), ...user };
    return new Transport(connection, {
      userAgent: USER_AGENT,
      maxRetries: 0,
      maxAnswerBytes,
      ...(allowsAddress && { allowsAddress }),
      ...(service && { addressOf: () => addressOf(servicePort(service)) }),
    });
  }

  /** Drops clients with an outdated certificate; calls in flight go on. */
  #show(): void {
    const shown = this.settings.credentials?.();
    if (shown?.cert === this.#shown?.cert && shown?.key === this.#shown?.key) return;
    this.#shown = shown;
    for (const client of this.#clients.values()) end(client);
    this.#clients.clear();
  }

  /** Drops the least recently called clients beyond the limit; calls in flight go on. */
  #forget(): void {
    const { maxClients = 200 } = this.settings;
    for (const [key, client] of this.#clients) {
      if (this.#clients.size <= maxClients) return;
      this.#clients.delete(key);
      end(client);
    }
  }
}

/** Closes a client once its calls in flight are answered. */
function end(client: Promise<Transport> | Transport): void {
  Promise.resolve(client).then(
    (opened) => void opened.end(),
    () => undefined,
  );
}
