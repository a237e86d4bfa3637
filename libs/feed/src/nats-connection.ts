import { readFileSync } from 'node:fs';
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { PARTIAL_CHAINS, requireNamedHost } from '@orch/tls';

/** How clients are authenticated. The files are read again for every connection. */
export type NatsIdentity =
  | { readonly user: string; readonly passwordFile: string }
  | { readonly tokenFile: string }
  /** A file as `nsc` writes it: a JWT and the seed of its key. */
  | { readonly credentialsFile: string };

/** Address of NATS, and its authentication. */
export interface NatsConnectionOptions {
  /** `host:port` or `nats://host:port`, tried in turn. */
  readonly servers: readonly string[];
  /**
   * If present, a server without TLS is refused. Files in PEM form, read again for every connection. Servers must be
   * named then: the client checks certificates against names only.
   */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** Default: none. */
  readonly identity?: NatsIdentity;
  /** Milliseconds between attempts to connect. Default 500. */
  readonly reconnectWait?: number;
}

/** Callbacks of a connection that is kept up. */
interface NatsConnectionEvents {
  /** `lostFor`: milliseconds for which the same connection was lost; undefined for a new one. */
  connected(connection: NatsConnection, lostFor: number | undefined): void;
  disconnected(): void;
  /** For logging only: the next attempt follows automatically. */
  failed(error: unknown): void;
}

/**
 * Connects in the background and for ever. The client reconnects by itself; a connection that it gives up is made
 * again.
 */
export class KeptConnection {
  readonly #options: NatsConnectionOptions;
  readonly #events: NatsConnectionEvents;
  readonly #run: Promise<void>;
  #connection: NatsConnection | undefined;
  #closed = false;
  #stopPause = (): void => {};

  constructor(options: NatsConnectionOptions, events: NatsConnectionEvents) {
    this.#options = options;
    this.#events = events;
    this.#run = this.#stayConnected();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopPause();
    await this.#connection?.close().catch((error: unknown) => this.#events.failed(error));
    await this.#run;
  }

  async #stayConnected(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#use(await connect(connectionOptions(this.#options)));
      } catch (error) {
        this.#events.failed(error);
      }
      this.#events.disconnected();
      this.#connection = undefined;
      if (!this.#closed) await this.#pause();
    }
  }

  async #use(connection: NatsConnection): Promise<void> {
    if (this.#closed) return connection.close();
    this.#connection = connection;
    this.#events.connected(connection, undefined);
    let lostAt = performance.now();
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection') {
        lostAt = performance.now();
        this.#events.disconnected();
      } else if (status.type === 'reconnect') this.#events.connected(connection, performance.now() - lostAt);
      else if (status.type === 'error') this.#events.failed(status.error);
      else if (status.type === 'close') break;
    }
    const error = await connection.closed();
    if (error !== undefined) this.#events.failed(error);
  }

  /** Waits until the next attempt, or the end. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.reconnectWait ?? 500);
      this.#stopPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function connectionOptions({ servers, tls, identity, reconnectWait = 500 }: NatsConnectionOptions) {
  return {
    servers: [...servers],
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectWait,
    reconnectJitter: reconnectWait / 4,
    pingInterval: 10_000,
    maxPingOut: 2,
    timeout: 5_000,
    ...(tls && { tls: tlsOptions(tls) }),
    ...(identity && { authenticator: authenticatorOf(identity) }),
  } satisfies NodeConnectionOptions;
}

/** Options that the client passes to Node beside the files that it reads itself. */
const tlsOptions = (tls: NonNullable<NatsConnectionOptions['tls']>) => ({
  ...tls,
  ...(tls.caFile !== undefined && PARTIAL_CHAINS),
  checkServerIdentity: requireNamedHost,
});

function authenticatorOf(identity: NatsIdentity): Authenticator {
  if ('credentialsFile' in identity) return credsAuthenticator(() => readFileSync(identity.credentialsFile));
  if ('tokenFile' in identity) return tokenAuthenticator(() => secretIn(identity.tokenFile));
  return usernamePasswordAuthenticator(identity.user, () => secretIn(identity.passwordFile));
}

/** Removes the line end that editors append. */
const secretIn = (file: string): string => readFileSync(file, 'utf8').replace(/\r?\n$/, '');
