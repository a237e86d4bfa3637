import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Pki } from '@orch/authentication';

export interface ListenOptions {
  readonly listener: RequestListener;
  readonly pki: Pki;
  /** PEM bundle of the authorities whose client certificates are believed. */
  readonly clientCa: string;
  readonly bindAddress: string;
  readonly securePort: number;
  /** 0 for none. */
  readonly insecurePort: number;
}

/** Sockets that take requests, opened. */
export interface Listeners {
  readonly securePort: number;
  readonly insecurePort: number | undefined;
  /** Takes no more connections and lets go of idle ones; resolves when the busy ones are gone. */
  close(): Promise<void>;
}

/** Longer than clients keep idle connections, so that it is they who close them and no request meets a closed one. */
const KEEP_ALIVE_MS = 120_000;
/** Time that a client gets to send its request's head. */
const HEADERS_MS = 30_000;
/** Time that a client gets to send its whole request. */
const REQUEST_MS = 120_000;
const LOOPBACK = '127.0.0.1';
const BACKLOG = 4096;

export async function openListeners(options: ListenOptions): Promise<Listeners> {
  const { listener, pki, clientCa, bindAddress } = options;
  const tls = createHttpsServer(
    {
      key: pki.serving.key,
      cert: pki.serving.cert,
      ca: clientCa,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      keepAlive: true,
      noDelay: true,
    },
    listener,
  );
  const servers: Server[] = [prepared(tls)];
  const securePort = await listen(tls, options.securePort, bindAddress);
  let insecurePort: number | undefined;
  if (options.insecurePort > 0) {
    const plain = prepared(createHttpServer({ keepAlive: true, noDelay: true }, listener));
    servers.push(plain);
    insecurePort = await listen(plain, options.insecurePort, LOOPBACK);
  }
  return {
    securePort,
    insecurePort,
    async close() {
      await Promise.all(servers.map(closeServer));
    },
  };
}

function prepared<S extends Server>(server: S): S {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.on('clientError', (_error, socket) => answerMalformed(socket as Socket));
  return server;
}

/** A connection as node's server keeps it: with the response that is under way, if there is one. */
type Connection = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

/** What is not HTTP gets an answer that is, as far as the socket still takes one and is not in the middle of another. */
function answerMalformed(socket: Connection): void {
  if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the request is not well-formed HTTP',
    reason: 'BadRequest',
    code: 400,
  });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Milliseconds between looks for connections whose last answer has gone out. */
const IDLE_CHECK_MS = 20;

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const check = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    server.close(() => {
      clearInterval(check);
      resolve();
    });
    server.closeIdleConnections();
  });
}
