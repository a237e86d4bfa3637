import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { type Authenticator, CLIENT_CERTIFICATE_OPTIONS, keepChains, type UserInfo } from '@orch/authentication';
import { type Authorizer, forbiddenRequest, type RequestAttributes } from '@orch/authorization';
import { StatusError } from '@orch/machinery';
import { systemClock } from '@orch/runtime';
import { type PageAnswer, refuse, send } from './answers.js';

/** A certificate and its key, PEM. */
interface ServerPair {
  /** The certificate and its intermediates. */
  readonly cert: string;
  /** Its key. */
  readonly key: string;
}

/** Source of a pair that is renewed by others. */
interface PairRenewal {
  /** Returns the present pair. @throws Error where there is none that can be used */
  read(): Promise<ServerPair>;
  /** Milliseconds between looks. */
  readonly everyMs: number;
}

/** A request for another protocol, from a caller that may have it. */
export interface ComponentUpgrade {
  /** The request. */
  readonly req: IncomingMessage;
  /** Its connection. */
  readonly socket: Socket;
  /** Bytes that came behind it. */
  readonly head: Buffer;
}

/** Serves a port to callers that may ask. */
export interface ComponentHandler {
  /** Answers a request. @throws StatusError */
  request(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void>;
  /** Switches to another protocol; absent where there is none. @throws StatusError before anything was sent */
  upgrade?(upgrade: ComponentUpgrade, url: URL): Promise<void>;
}

/** Settings of a {@link ComponentServer}. */
interface ComponentServerSettings {
  /** Address that is listened on. */
  readonly address: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Certificate and key of the server. */
  readonly pair: ServerPair | undefined;
  /** How the pair is had again, as it may have been renewed; absent where it stays. */
  readonly renewal?: PairRenewal;
  /** Bundle of the authorities of client certificates, PEM; absent where they are not looked at. */
  readonly clientAuthorities?: string;
  /** Authenticates callers. */
  readonly authenticator: Authenticator;
  /** Decides what a caller may ask for. */
  readonly authorizer: Authorizer;
  /** Returns what a request asks for, as the authorizer is asked. Default: its path. */
  readonly attributes?: (request: IncomingMessage, path: string) => RequestAttributes;
  /** Returns the refusal of a request that is not allowed. Default: in the words of the API. */
  readonly refusal?: (user: UserInfo, attributes: RequestAttributes, reason?: string) => StatusError;
  /** Text behind the message of a refusal. Default: the end of the line. */
  readonly refusalEnd?: string;
  /** Paths for which nobody needs a right; one that ends with `*` means all that begin so. */
  readonly allowedPaths: readonly string[];
  /** Milliseconds after which a connection is closed that has carried no request that was allowed; 0, the default, for never. */
  readonly strangerMs?: number;
  /** Serves the requests that are allowed. */
  readonly handler: ComponentHandler;
  /** Called with failures that callers are not told. */
  readonly onError: (error: unknown) => void;
}

/** Bytes of a request's head, at most. */
const MAX_HEAD_BYTES = 16 << 10;
/** Milliseconds that a handshake and a request's head may take, and that a connection may be without a request. */
const IDLE_MS = 30_000;
/** Connections at a time, at most. */
const MAX_CONNECTIONS = 256;
/** Requests at a time on a connection of HTTP/2, and megabytes that such a connection may hold. */
const [MAX_STREAMS, SESSION_MEGABYTES] = [250, 10];

/** The HTTPS port of a component: everyone is authenticated, and asked for rights. It speaks HTTP/1.1 and HTTP/2. */
export class ComponentServer {
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  /** Functions that keep connections from being closed which have carried no request that was allowed, by their addresses. */
  readonly #strangers = new Map<string, () => void>();
  #cancelRenewal = (): void => undefined;

  constructor(private readonly settings: ComponentServerSettings) {
    this.#server = createSecureServer({
      ...this.#tls(settings.pair),
      allowHTTP1: true,
      ...{ maxHeaderSize: MAX_HEAD_BYTES, headersTimeout: IDLE_MS, requestTimeout: IDLE_MS, keepAliveTimeout: IDLE_MS },
      handshakeTimeout: IDLE_MS,
      settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEAD_BYTES },
      maxSessionMemory: SESSION_MEGABYTES,
    } as Parameters<typeof createSecureServer>[0]);
    // Requests and responses of HTTP/2 have the shape of those of HTTP/1.1.
    const server = this.#server as unknown as Server;
    server.on('request', (request, response) => void this.#answer(request, response));
    server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket as Socket, head));
    server.on('connection', (socket: Socket) => this.#keep(socket));
    this.#server.on('session', (session) => session.setTimeout(IDLE_MS, () => session.close()));
    server.maxConnections = MAX_CONNECTIONS;
    keepChains(this.#server);
  }

  /** Port that is listened on. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Uses another certificate for new connections. @throws Error for one that cannot be used */
  renew(pair: ServerPair): void {
    this.#server.setSecureContext(this.#tls(pair));
  }

  /** Resolves when connections are taken. @throws Error where the port cannot be had */
  async start(): Promise<void> {
    const { port, address } = this.settings;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, address, () => {
        this.#server.off('error', reject);
        this.#server.on('error', this.settings.onError);
        this.#followRenewals();
        resolve();
      });
    });
  }

  /** Closes the port and all connections. */
  async stop(): Promise<void> {
    this.#cancelRenewal();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #followRenewals(): void {
    const { renewal, pair, onError } = this.settings;
    if (!renewal) return;
    let current = pair;
    const check = async () => {
      const found = await renewal.read();
      if (found.cert === current?.cert && found.key === current.key) return;
      this.renew(found);
      current = found;
    };
    // Files are written one after the other: a pair that does not belong together is read again.
    const next = () => {
      this.#cancelRenewal = systemClock.after(renewal.everyMs, () => {
        void check().catch(onError);
        next();
      });
    };
    next();
  }

  #tls(pair: ServerPair | undefined) {
    const { clientAuthorities: ca } = this.settings;
    const { cert, key } = pair ?? {};
    return {
      cert,
      key,
      ...CLIENT_CERTIFICATE_OPTIONS,
      ...(ca !== undefined && { ca }),
      minVersion: 'TLSv1.2' as const,
    };
  }

  #keep(socket: Socket): void {
    const { strangerMs = 0 } = this.settings;
    const place = placeOf(socket);
    this.#sockets.add(socket);
    // Pings of HTTP/2 would keep it open for good.
    const cancel = strangerMs > 0 ? systemClock.after(strangerMs, () => socket.destroy()) : undefined;
    if (cancel) this.#strangers.set(place, cancel);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      cancel?.();
      if (this.#strangers.get(place) === cancel) this.#strangers.delete(place);
    });
  }

  /** Notes that a connection has carried a request that was allowed. */
  #welcome({ socket }: IncomingMessage): void {
    const place = placeOf(socket);
    this.#strangers.get(place)?.();
    this.#strangers.delete(place);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    endStream(request, response);
    try {
      const url = urlOf(request);
      await this.#check(request, url.pathname);
      await this.settings.handler.request(request, response, url);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else send(response, this.#refusal(error));
    }
  }

  async #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const url = urlOf(request);
      await this.#check(request, url.pathname);
      const { handler } = this.settings;
      if (!handler.upgrade) throw new StatusError('BadRequest', 'no other protocol is spoken here');
      await handler.upgrade({ req: request, socket, head }, url);
    } catch (error) {
      const { status = 500, body } = this.#refusal(error);
      refuse(socket, status, body);
    }
  }

  /** @throws StatusError 401 or 403 */
  async #check(request: IncomingMessage, path: string): Promise<void> {
    const { authenticator, authorizer, allowedPaths, attributes: of = attributesOf } = this.settings;
    if (allowedPaths.some((allowed) => isPath(path, allowed))) return;
    const { user } = await authenticator.authenticate(request);
    const attributes = of(request, path);
    const { decision, reason } = await authorizer.authorize(user as UserInfo, attributes);
    const { refusal = forbiddenRequest } = this.settings;
    if (decision !== 'allow') throw refusal(user, attributes, reason);
    this.#welcome(request);
  }

  #refusal(error: unknown): PageAnswer {
    const { onError, refusalEnd: end = '\n' } = this.settings;
    if (error instanceof StatusError) return { status: error.code, body: `${error.message}${end}` };
    onError(error);
    return { status: 500, body: `Internal Server Error${end}` };
  }
}

/** Ends the stream of HTTP/2 behind the answer: with a body that never ends, it would keep its connection for good. */
function endStream(request: IncomingMessage, response: ServerResponse): void {
  const { stream } = response as unknown as { readonly stream?: ServerHttp2Stream };
  stream?.once('finish', () => {
    if (!request.complete) stream.close();
  });
}

/**
 * Reads the address of a request. Over HTTP/2 it may be any text: `x:yexec/metrics` has the path `yexec/metrics`, which reads as one
 * thing to whoever decides on rights and as another to whoever answers. @throws StatusError 400
 */
const urlOf = ({ url = '/' }: IncomingMessage): URL => {
  const parsed = URL.parse(url, 'https://component');
  if (!parsed?.pathname.startsWith('/')) throw new StatusError('BadRequest', 'the address of the request is none');
  return parsed;
};

/** Both ends of a connection: over HTTP/2, requests have another object for its socket. */
const placeOf = ({ localAddress, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${remoteAddress} ${remotePort}`;

const isPath = (path: string, allowed: string): boolean =>
  allowed.endsWith('*') ? path.startsWith(allowed.slice(0, -1)) : path === allowed;

function attributesOf({ method = 'GET' }: IncomingMessage, path: string): RequestAttributes {
  const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  return { ...none, verb: method.toLowerCase(), isResourceRequest: false, path };
}
