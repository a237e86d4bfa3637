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

/** Finds where a service can be reached. @throws Error saying why it cannot */
export type ServiceAddresses = (service: ServicePort) => Promise<Address>;

/** How webhooks are called; everything but the addresses has a default. */
export interface WebhookSettings {
  /** Where services are reached; asked for each new connection. */
  readonly addressOf: ServiceAddresses;
  /** Certificate and key that webhooks are shown, PEM; where others are given than before, connections are made anew. Default none. */
  readonly credentials?: () => Pick<Connection, 'cert' | 'key'> | undefined;
  /** Who speaks to a host, by its name and port; looked up for each webhook once. Default nobody. */
  readonly userOf?: (host: string, port: number) => Promise<ClientUser>;
  /** Addresses that connections may go to. Default: all. */
  readonly allowsAddress?: AllowsAddress;
  /** Webhooks to which connections are kept; the one that was called longest ago is forgotten first. Default 200. */
  readonly maxClients?: number;
  /** Bytes of an answer beyond which the call has failed. Default 16 MiB. */
  readonly maxAnswerBytes?: number;
}

/** A call. */
export interface WebhookCall {
  /** JSON. */
  readonly body: string | Buffer;
  /** How long all of it may take, ms. */
  readonly timeoutMs: number;
  /** Whether the webhook is told in its query, as those of admission are. Default false. */
  readonly tellsTimeout?: boolean;
  /** Gives the call up. */
  readonly signal?: AbortSignal;
}

/** Thrown for a webhook that gave no answer of use: not reached, too slow, not trusted, or with a status other than 2xx. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Thrown for an answer that is longer than it may be. */
export class AnswerTooLarge extends WebhookError {}

/** As undici names it. */
const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === TOO_LARGE) || isTooLarge(error.cause));

const USER_AGENT = 'orch-apiserver';
const MIB = 1024 * 1024;

/**
 * Calls webhooks over HTTP/1.1 with connections that are kept, one client for each place and trust. Tries nothing twice: whoever calls
 * knows whether that is safe.
 */
export class WebhookClients {
  /** In the order in which they were called last. */
  readonly #clients = new Map<string, Promise<Transport> | Transport>();
  #shown: Pick<Connection, 'cert' | 'key'> | undefined;

  constructor(private readonly settings: WebhookSettings) {}

  /** The body of a 2xx answer. @throws WebhookError, or the reason of the signal */
  async post(config: WebhookClientConfig, { body, timeoutMs, tellsTimeout, signal }: WebhookCall): Promise<Buffer> {
    const { origin, path } = this.#destination(config);
    const query = tellsTimeout ? { timeout: `${Math.ceil(timeoutMs / 1000)}s` } : undefined;
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

  /** Closes all connections that are kept, also of calls in flight. */
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

  /** Who speaks is looked up first. What cannot be opened is not kept. */
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

  /** Connections of those that were shown something else are used no more; calls in flight go on. */
  #show(): void {
    const shown = this.settings.credentials?.();
    if (shown?.cert === this.#shown?.cert && shown?.key === this.#shown?.key) return;
    this.#shown = shown;
    for (const client of this.#clients.values()) end(client);
    this.#clients.clear();
  }

  /** Calls in flight go on. */
  #forget(): void {
    const { maxClients = 200 } = this.settings;
    for (const [key, client] of this.#clients) {
      if (this.#clients.size <= maxClients) return;
      this.#clients.delete(key);
      end(client);
    }
  }
}

/** Calls in flight go on. */
function end(client: Promise<Transport> | Transport): void {
  Promise.resolve(client).then(
    (opened) => void opened.end(),
    () => undefined,
  );
}
