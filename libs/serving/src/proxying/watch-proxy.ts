import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { forwardedIdentity } from '@orch/authentication';
import { type StatusError, unavailable } from '@orch/machinery';
import { parseBool } from '@orch/reading';
import { shuttingDown } from '@orch/resources';
import { type PeerOptions, peerOptions } from '@orch/tls';
import { isGone, type RequestContext, type Upgrade } from '../http/context.js';
import { OF_THE_CALL, passedOn } from '../http/passed-on.js';
import { REQUEST_ID_HEADER } from '../http/request-id.js';
import type { OutgoingConnections } from '../sockets/outgoing-connections.js';
import type { Pair } from '../sockets/shown-pairs.js';
import type { HandedStreams } from './handed-streams.js';
import type { Silence } from './handed-watch.js';
import { joinWebSockets, passWatchOn } from './pass-on.js';

/** Seconds after which a client may retry when no gateway could be reached. */
const RETRY_SECONDS = 1;
const CONNECT_MS = 5_000;

/** Headers of a request for this server only, and those of a body that is not forwarded. */
const NOT_ASKED_WITH: ReadonlySet<string> = new Set([...OF_THE_CALL, 'content-length']);

/** Encodes the event that ends a stream whose client has lost its permission. */
type RefusalFrame = (refusal: StatusError) => Buffer;

/** CA certificates for verifying gateways, and the client certificate for them. */
interface GatewayCredentials {
  /** CA certificates for the serving certificates of gateways, PEM; undefined for those of the system. */
  readonly servingCa: string | undefined;
  /** Client certificate for gateways; undefined if there is none. */
  readonly gatewayClient: Pair | undefined;
}

/**
 * Proxies watches to gateways in turn (round robin). The caller's identity is sent in headers that a gateway trusts
 * because of the client certificate (spec: "Authenticating proxy"), so that it authorizes the caller, not this server.
 */
export class WatchProxy {
  #turn = 0;

  constructor(
    private readonly gateways: readonly string[],
    private readonly credentials: () => GatewayCredentials,
    private readonly handed: HandedStreams,
    private readonly sent: (host: string, method: string, code: string) => void = () => undefined,
    private readonly refusals: (ctx: RequestContext) => RefusalFrame | undefined = () => undefined,
  ) {}

  /** @throws StatusError 503 when no gateway can be reached, 429 when watches are being drained */
  async hand(ctx: RequestContext): Promise<void> {
    const { gateways } = this;
    const refusalFrame = this.refusals(ctx);
    // Each request has its own turn: with a shared one, another request's increment would make this one retry the same
    // gateway.
    const first = this.#turn++;
    for (let attempt = 0; attempt < gateways.length; attempt++) {
      if (isGone(ctx)) return;
      if (this.handed.draining) throw shuttingDown();
      const url = new URL(gateways[(first + attempt) % gateways.length] as string);
      const answer = await open(ctx, url, this.credentials(), this.handed.connections).catch(() => undefined);
      this.sent(url.host, 'GET', String(answer?.message.statusCode ?? '<error>'));
      if (answer) return this.#pass(ctx, answer, refusalFrame);
    }
    if (isGone(ctx)) return;
    throw unavailable('no watch gateway can be reached', RETRY_SECONDS);
  }

  #pass(ctx: RequestContext, { message, switched }: Answer, refusalFrame: RefusalFrame | undefined): void {
    const silence = this.#silenceOf(ctx);
    const watch =
      switched && ctx.upgrade
        ? joinWebSockets(ctx, ctx.upgrade, message, switched, silence)
        : passWatchOn(ctx, message, silence);
    if (watch) this.handed.add(ctx, watch, refusalFrame);
  }

  /**
   * Bookmarks show that a gateway is alive, its process as well as its machine; a watch without them need not send
   * anything.
   */
  #silenceOf({ query }: RequestContext): Silence | undefined {
    const { connections } = this.handed;
    if (!parseBool(query, 'allowWatchBookmarks')) return undefined;
    return { limitMs: connections.silenceMs, onCut: () => connections.cut('silent') };
  }
}

/** Response of a gateway; `switched` when it switches to WebSocket frames. */
interface Answer {
  readonly message: IncomingMessage;
  readonly switched?: Upgrade;
}

const peers = new WeakMap<GatewayCredentials, PeerOptions>();

/** Returns the TLS options for gateways; created once for each set of credentials. */
function peerOf(credentials: GatewayCredentials): PeerOptions {
  const { servingCa: ca, gatewayClient } = credentials;
  const known = peers.get(credentials) ?? peerOptions({ ca, cert: gatewayClient?.cert, key: gatewayClient?.key });
  peers.set(credentials, known);
  return known;
}

function open(
  ctx: RequestContext,
  url: URL,
  credentials: GatewayCredentials,
  connections: OutgoingConnections,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...passedOn(ctx.req.headers, NOT_ASKED_WITH),
      ...forwardedIdentity(ctx.user, ctx.authentication.expiresAt, ctx.audit !== undefined),
      [REQUEST_ID_HEADER]: ctx.requestId,
      ...(ctx.trail?.span && { traceparent: ctx.trail.span.traceparent }),
      ...(ctx.upgrade && { Connection: 'Upgrade', Upgrade: 'websocket' }),
    };
    // Uses the path as it was authorized here: a URL built from it might denote another path, or even another host.
    const options = { method: 'GET', path: ctx.req.url ?? '/', headers, timeout: CONNECT_MS };
    const upstream: ClientRequest =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, ...peerOf(credentials), agent: false })
        : httpRequest(url, { ...options, agent: false });
    upstream.once('socket', (socket) => connections.keep(socket));
    upstream.once('response', (message) => resolve({ message })).on('error', reject);
    upstream.once('upgrade', (message, socket: Socket, head) => resolve({ message, switched: { socket, head } }));
    upstream.once('timeout', () => upstream.destroy(new Error('the gateway does not answer')));
    ctx.res.once('close', () => upstream.destroy());
    upstream.end();
  });
}
