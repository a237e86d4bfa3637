import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { CLIENT_CERTIFICATE_OPTIONS, keepChains } from '@orch/authentication';
import { acceptPartialChains, PARTIAL_CHAINS } from '@orch/tls';
import type { ApiListener } from '../http/api-listener.js';
import { type ConnectionLimits, type ConnectionRefusal, HEAD_TOO_LARGE, limited } from './connection-limits.js';
import { handshakesInTurn } from './handshakes-in-turn.js';
import { Http2Sessions } from './http2-sessions.js';
import { readThroughStream } from './read-through-stream.js';
import { type HeadRefusal, MALFORMED, meetExpectations, refusalBody } from './request-heads.js';
import { ServerConnections } from './server-connections.js';
import { type NamedShownPair, type Pair, pairFor } from './shown-pairs.js';
import { acceptUpgrades, answerConnects, type TakesUpgrade } from './upgrades.js';
import type { VanishedPeers } from './vanished-peers.js';

/** Options of {@link openListeners}. */
export interface ListenOptions {
  readonly listener: ApiListener;
  /** Decides which requests may switch to another protocol than WebSocket. Default: none. */
  readonly takesUpgrade?: TakesUpgrade;
  readonly credentials: ServingCredentials;
  /** Versions and cipher suites. Default: TLS 1.2 and later, with Node's suites. */
  readonly tls?: Pick<SecureContextOptions, 'minVersion' | 'ciphers'>;
  readonly bindAddress: string;
  readonly securePort: number;
  /** Whether no other worker of this process listens on the same port. Default: workers share it. */
  readonly exclusive?: boolean;
  /** 0 for none. */
  readonly insecurePort: number;
  readonly limits: ConnectionLimits;
  /** Called for each request and connection that is refused because of a limit. */
  readonly onRefused: (limit: ConnectionRefusal) => void;
  /** Maximum number of open streams of an HTTP/2 connection. */
  readonly http2MaxStreams: number;
  /** Maximum number of bytes that may wait in one stream. */
  readonly watchBufferBytes: number;
  /** Detects vanished peers until all connections are closed. Default: the kernel alone. */
  readonly vanishedPeers?: VanishedPeers;
}

/** TLS certificates for clients, and the CA certificates for verifying client certificates. */
interface ServingCredentials {
  readonly serving: Pair;
  /** Certificates for clients that request one of their names. */
  readonly named?: readonly NamedShownPair[];
  /** CA certificates for client certificates, PEM. */
  readonly clientCa: string;
}

/** The open sockets that accept requests. */
export interface Listeners {
  /** TCP port of HTTPS, also if the system chose it. */
  readonly securePort: number;
  /** TCP port of plain HTTP; undefined if it is not served. */
  readonly insecurePort: number | undefined;
  /**
   * Replaces the TLS credentials for new connections; earlier TLS sessions are not resumed.
   * @throws Error of Node for invalid ones
   */
  show(credentials: ServingCredentials): void;
  /**
   * Stops accepting connections and closes idle ones; resolves when the busy ones have ended. `deadline` closes these
   * when it aborts.
   */
  close(deadline?: AbortSignal): Promise<void>;
}

/** Idle time after which the kernel probes whether a client is still there. */
const TCP_KEEP_ALIVE_MS = 30_000;
/** Node's default for the memory of an HTTP/2 connection. */
const DEFAULT_SESSION_MEGABYTES = 10;
const LOOPBACK = '127.0.0.1';
const BACKLOG = 4096;

/**
 * Opens a port for HTTP/2 and HTTP/1.1 over TLS, as clients negotiate (RFC 7301), and one for plain HTTP/1.1 if
 * requested.
 */
export async function openListeners(options: ListenOptions): Promise<Listeners> {
  const { bindAddress, exclusive } = options;
  const named = new NamedContexts(options);
  const http2 = secureServer(options, named);
  const sessions = new Http2Sessions(http2, options.limits.idleMs);
  // Node gives it the methods of an HTTP/1.1 server too, and its requests their shape; its types omit that.
  const secure = prepared(http2 as unknown as Server, options);
  const servers = [secure];
  const securePort = await listen(secure, options.securePort, bindAddress, exclusive);
  let insecurePort: number | undefined;
  if (options.insecurePort > 0) {
    const plain = prepared(createHttpServer({ keepAlive: true, noDelay: true }), options);
    servers.push(plain);
    insecurePort = await listen(plain, options.insecurePort, LOOPBACK, exclusive).catch(async (error: unknown) => {
      sessions.close();
      await stopListening(secure);
      throw error;
    });
  }
  const connections = servers.map((server) => new ServerConnections(server, server === secure));
  for (const server of servers) options.vanishedPeers?.follow(server);
  const cut = () => {
    for (const each of connections) each.cut();
  };
  return {
    securePort,
    insecurePort,
    show(credentials) {
      named.show(credentials);
      http2.setSecureContext(contextOf(options, credentials));
      acceptPartialChains(http2);
    },
    async close(deadline) {
      const stopped = servers.map(stopListening);
      for (const each of connections) each.letGo();
      if (deadline?.aborted) cut();
      deadline?.addEventListener('abort', cut);
      sessions.close();
      await Promise.all(stopped);
      for (const each of connections) each.stop();
      // Has the servers release their other resources as well.
      for (const server of servers) server.close();
      options.vanishedPeers?.stop();
    },
  };
}

/** Overhead that a header field counts for, bytes (RFC 9113 section 6.5.2). */
const FIELD_BYTES = 32;

/** Maximum time that a connection waits for its handshake, milliseconds: most clients have given up then. */
const MOST_WAIT_MS = 10_000;

/** Memory of an HTTP/2 stream besides the bytes that wait to be sent. */
const STREAM_BYTES = 16 * 1024;

/**
 * Creates a server whose connections have memory for all their streams to stall at once. Node's own bounds apply too:
 * endless invalid frames, refused streams, resets, settings and pings close the connection.
 */
function secureServer(options: ListenOptions, named: NamedContexts): Http2SecureServer {
  const { http2MaxStreams, watchBufferBytes } = options;
  const { maxHeadBytes, maxHeadFields, headMs, handshakesPerRound } = options.limits;
  const megabytes = Math.ceil((http2MaxStreams * (watchBufferBytes + STREAM_BYTES)) / 1e6);
  const tls = {
    ...contextOf(options, options.credentials),
    SNICallback: (name: string, take: TakeContext) => take(null, named.for(name)),
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    noDelay: true,
  } as const;
  const server = createSecureServer({
    ...tls,
    allowHTTP1: true,
    handshakeTimeout: headMs,
    // Heads beyond the limits are answered, as over HTTP/1.1, unless they exceed a much larger bound.
    settings: {
      maxConcurrentStreams: http2MaxStreams,
      maxHeaderListSize: 2 * maxHeadBytes + FIELD_BYTES * maxHeadFields,
    },
    maxHeaderListPairs: 2 * maxHeadFields,
    maxSessionMemory: Math.max(DEFAULT_SESSION_MEGABYTES, megabytes),
  });
  acceptPartialChains(server);
  keepChains(server);
  // A request of HTTP/1.1 comes as from Node's HTTP/1.1 server.
  (server as unknown as Server).on('request', readThroughStream);
  handshakesInTurn(server as unknown as Server, handshakesPerRound, Math.min(headMs, MOST_WAIT_MS));
  return server;
}

const contextOf = ({ tls }: ListenOptions, { serving, clientCa }: ServingCredentials) =>
  ({
    minVersion: 'TLSv1.2',
    ...tls,
    ...CLIENT_CERTIFICATE_OPTIONS,
    key: serving.key,
    cert: serving.cert,
    ca: clientCa,
  }) as const;

type TakeContext = (error: Error | null, context?: SecureContext) => void;

/** TLS contexts by server name; other names get the default context. */
class NamedContexts {
  #shown: readonly { readonly names: readonly string[]; readonly context: SecureContext }[] = [];

  constructor(private readonly options: ListenOptions) {
    this.show(options.credentials);
  }

  /** @throws Error of Node for invalid credentials */
  show({ named = [], clientCa }: ServingCredentials): void {
    this.#shown = named.map(({ names, ...serving }) => {
      const context = createSecureContext({ ...contextOf(this.options, { serving, clientCa }), ...PARTIAL_CHAINS });
      return { names, context };
    });
  }

  for(name: string): SecureContext | undefined {
    return pairFor(this.#shown, name)?.context;
  }
}

/** Fields of Node's servers that their types leave out. */
type Tunable = Server & { connectionsCheckingInterval: number; maxHeaderSize: number };

/** Number of checks for late connections, within their timeout. */
const LATE_CHECKS = 4;

function prepared(server: Server, options: ListenOptions): Server {
  const { limits, takesUpgrade, onRefused } = options;
  const { maxHeadBytes, headMs, requestMs, idleMs, maxConnections } = limits;
  const listener = limited(options.listener, limits, onRefused);
  server.keepAliveTimeout = idleMs;
  server.headersTimeout = headMs;
  server.requestTimeout = requestMs;
  // A server of both versions takes neither of these from its options.
  Object.assign(server as Tunable, { connectionsCheckingInterval: headMs / LATE_CHECKS, maxHeaderSize: maxHeadBytes });
  if (maxConnections > 0) server.maxConnections = maxConnections;
  server.on('drop', () => onRefused('connections'));
  // Node would silently drop headers beyond the thousandth, impersonation headers among them. Their bytes are limited.
  server.maxHeadersCount = 0;
  server.on('request', listener as RequestListener);
  meetExpectations(server);
  server.on('clientError', (error, socket) => answerMalformed(error, socket as Socket, onRefused));
  acceptUpgrades(server, listener, takesUpgrade);
  answerConnects(server, listener);
  return server;
}

/** A connection as Node's server keeps it: with the response in progress, if there is one. */
type Connection = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

const TOO_SLOW: HeadRefusal = {
  code: 408,
  line: 'Request Timeout',
  message: 'the request did not come in time',
  reason: '',
};
/** Refusals by the code of Node's error. */
const OF_LIMITS: Readonly<Record<string, readonly [HeadRefusal, ConnectionRefusal]>> = {
  HPE_HEADER_OVERFLOW: [HEAD_TOO_LARGE, 'head'],
  ERR_HTTP_REQUEST_TIMEOUT: [TOO_SLOW, 'head-time'],
};
/** Time for a client to read that its request was refused. */
const LINGER_MS = 30_000;

/** Errors of HTTP; after others, which are of the connection, there is no response. */
const OF_HTTP = /^(HPE|ERR_HTTP)_/;

/**
 * Answers a malformed request, if the socket is writable and no other response has begun; else closes the connection.
 */
function answerMalformed(
  { code = '' }: NodeJS.ErrnoException,
  socket: Connection,
  onRefused: ListenOptions['onRefused'],
): void {
  const [refusal, limit] = OF_LIMITS[code] ?? [MALFORMED];
  if (limit) onRefused(limit);
  if (!OF_HTTP.test(code) || !socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const body = refusalBody(refusal);
  // A client that does not close has been notified, and holds no resources here.
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${refusal.code} ${refusal.line}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function listen(server: Server, port: number, host: string, exclusive = false): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops listening without closing any connection, unlike `close` of an HTTP server; resolves when all are closed. */
const stopListening = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    TcpServer.prototype.close.call(server, () => resolve());
  });
