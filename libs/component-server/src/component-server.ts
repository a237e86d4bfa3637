import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Authenticator, CLIENT_CERTIFICATE_OPTIONS, keepChains, type UserInfo } from '@orch/authentication';
import { type Authorizer, forbiddenRequest, type RequestAttributes } from '@orch/authorization';
import { StatusError } from '@orch/machinery';

/** An answer to a request of a component's port. */
interface PageAnswer {
  /** Default 200. */
  readonly status?: number;
  /** Default: plain text. */
  readonly contentType?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body. */
  readonly body: string;
}

/** Answers requests of a path; undefined for a path below it that there is not. */
export type ComponentPage = (path: string, query: URLSearchParams) => Promise<PageAnswer | undefined>;

/** Settings of a {@link ComponentServer}. */
interface ComponentServerSettings {
  /** Address that is listened on. */
  readonly address: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Certificate and key of the server, PEM. */
  readonly pair: { readonly cert: string; readonly key: string };
  /** Bundle of the authorities of client certificates, PEM; absent where they are not looked at. */
  readonly clientAuthorities?: string;
  /** Authenticates callers. */
  readonly authenticator: Authenticator;
  /** Decides which paths a caller may get. */
  readonly authorizer: Authorizer;
  /** Paths for which nobody needs a right; one that ends with `*` means all that begin so. */
  readonly allowedPaths: readonly string[];
  /** Pages by path; those below a path are answered by it, too. */
  readonly pages: Readonly<Record<string, ComponentPage>>;
  /** Called with failures that callers are not told. */
  readonly onError: (error: unknown) => void;
}

/** Bytes of a request's head, at most. */
const MAX_HEAD_BYTES = 16 << 10;
/** Milliseconds that a request's head may take, and that a connection may be without a request. */
const IDLE_MS = 30_000;
/** Connections at a time, at most. */
const MAX_CONNECTIONS = 256;

/** The HTTPS port of a component: everyone is authenticated, and asked for rights by path. */
export class ComponentServer {
  readonly #server: Server;

  constructor(private readonly settings: ComponentServerSettings) {
    const { pair, clientAuthorities } = settings;
    this.#server = createServer(
      {
        ...pair,
        ...CLIENT_CERTIFICATE_OPTIONS,
        ...(clientAuthorities !== undefined && { ca: clientAuthorities }),
        minVersion: 'TLSv1.2',
        maxHeaderSize: MAX_HEAD_BYTES,
        headersTimeout: IDLE_MS,
        requestTimeout: IDLE_MS,
        keepAliveTimeout: IDLE_MS,
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
    keepChains(this.#server);
  }

  /** Port that is listened on. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when connections are taken. @throws Error where the port cannot be had */
  async start(): Promise<void> {
    const { port, address } = this.settings;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, address, () => {
        this.#server.off('error', reject);
        this.#server.on('error', this.settings.onError);
        resolve();
      });
    });
  }

  /** Closes the port and all connections. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    try {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'https://component');
      await this.#check(request, pathname);
      const answer = await this.#page(pathname, searchParams);
      send(response, answer ?? { status: 404, body: '404 page not found\n' });
    } catch (error) {
      send(response, this.#refusal(error));
    }
  }

  /** @throws StatusError 401 or 403 */
  async #check(request: IncomingMessage, path: string): Promise<void> {
    const { authenticator, authorizer, allowedPaths } = this.settings;
    if (allowedPaths.some((allowed) => isPath(path, allowed))) return;
    const { user } = await authenticator.authenticate(request);
    const attributes = attributesOf(request, path);
    const { decision, reason } = await authorizer.authorize(user as UserInfo, attributes);
    if (decision !== 'allow') throw forbiddenRequest(user, attributes, reason);
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new StatusError('MethodNotAllowed', 'only GET');
  }

  #page(path: string, query: URLSearchParams): Promise<PageAnswer | undefined> {
    const { pages } = this.settings;
    const root = Object.hasOwn(pages, path) ? path : Object.keys(pages).find((each) => path.startsWith(`${each}/`));
    return (root === undefined ? undefined : pages[root]?.(path, query)) ?? Promise.resolve(undefined);
  }

  #refusal(error: unknown): PageAnswer {
    if (!(error instanceof StatusError)) this.settings.onError(error);
    if (error instanceof StatusError) return { status: error.code, body: `${error.message}\n` };
    return { status: 500, body: 'Internal Server Error\n' };
  }
}

const isPath = (path: string, allowed: string): boolean =>
  allowed.endsWith('*') ? path.startsWith(allowed.slice(0, -1)) : path === allowed;

function attributesOf({ method = 'GET' }: IncomingMessage, path: string): RequestAttributes {
  const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  return { ...none, verb: method.toLowerCase(), isResourceRequest: false, path };
}

function send(response: ServerResponse, { status = 200, contentType, headers, body }: PageAnswer): void {
  response.writeHead(status, {
    'content-type': contentType ?? 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache, private',
    ...headers,
  });
  response.end(body);
}
