import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { forwardedIdentity } from '@orch/authentication';
import { type StatusError, unavailable } from '@orch/machinery';
import type { CredentialSet } from '../credentials/credential-set.js';
import { cutOff, http2StreamOf, isGone, type RequestContext, type Upgrade } from '../http/context.js';
import { shuttingDown } from '../http/errors.js';
import { switchProtocols } from '../http/joined-connections.js';
import { OF_THE_CALL, passedOn } from '../http/passed-on.js';
import { REQUEST_ID_HEADER } from '../http/request-id.js';
import { LINGER_MS } from '../watching/watch-stream.js';
import { LineEnds, protobufEnds, webSocketEnds } from './frame-ends.js';
import { HandedWatch } from './handed-watch.js';

/** Seconds after which a client may ask again when no gateway could be reached. */
const RETRY_SECONDS = 1;
const CONNECT_MS = 5_000;

/** Headers of a request that are of this server alone, and those of a body that is not passed on. */
const NOT_ASKED_WITH: ReadonlySet<string> = new Set([...OF_THE_CALL, 'content-length']);

/** Makes the event that ends a stream whose client has lost its right to it. */
type RefusalFrame = (refusal: StatusError) => Buffer;

/** By what gateways are known, and what they are shown. */
type GatewayCredentials = Pick<CredentialSet, 'servingCa' | 'proxy'>;

/**
 * Hands watches to gateways, each to the next in turn. The caller's identity travels in headers that a gateway believes
 * because of the certificate it comes with (spec: "Authenticating proxy"), so that it judges the caller, not this server.
 */
export class WatchProxy {
  readonly #handed = new Set<HandedWatch>();
  #turn = 0;
  #draining = false;

  constructor(
    private readonly gateways: readonly string[],
    private readonly credentials: () => GatewayCredentials,
    private readonly sent: (host: string, method: string, code: string) => void = () => undefined,
    private readonly refusals: (ctx: RequestContext) => RefusalFrame | undefined = () => undefined,
  ) {}

  /** Watches that are handed on now. */
  get size(): number {
    return this.#handed.size;
  }

  /** @throws StatusError 503 when no gateway can be reached, 429 after {@link drain} */
  async hand(ctx: RequestContext): Promise<void> {
    const { gateways } = this;
    const refusalFrame = this.refusals(ctx);
    // Its own from here on: were the turn shared, another request's would make this one ask the same gateway again.
    const first = this.#turn++;
    for (let attempt = 0; attempt < gateways.length; attempt++) {
      if (isGone(ctx)) return;
      if (this.#draining) throw shuttingDown();
      const url = new URL(gateways[(first + attempt) % gateways.length] as string);
      const answer = await open(ctx, url, this.credentials()).catch(() => undefined);
      this.sent(url.host, 'GET', String(answer?.message.statusCode ?? '<error>'));
      if (answer) return this.#pass(ctx, answer, refusalFrame);
    }
    if (isGone(ctx)) return;
    throw unavailable('no watch gateway can be reached', RETRY_SECONDS);
  }

  /** Ends all watches in order, spread over `spread` ms, and hands on no more. Resolves when it is the last one's turn. */
  async drain(spread: number): Promise<void> {
    this.#draining = true;
    const [start, watches] = [performance.now(), [...this.#handed]];
    for (const [number, watch] of watches.entries()) {
      if (!this.#handed.has(watch)) continue;
      const wait = start + (spread * number) / watches.length - performance.now();
      if (wait > 0) await pause(wait);
      watch.end();
    }
  }

  #pass(ctx: RequestContext, { message, switched }: Answer, refusalFrame: RefusalFrame | undefined): void {
    const watch = switched && ctx.upgrade ? join(ctx, ctx.upgrade, message, switched) : pass(ctx, message);
    if (watch === undefined) return;
    this.#handed.add(watch);
    ctx.res.once('close', () => this.#handed.delete(watch));
    ctx.watch?.endBy((refusal) => watch.end(refusalFrame?.(refusal)));
    // It was asked for before, and answered after.
    if (this.#draining) watch.end();
  }
}

/** What a gateway answers; `switched` when it goes on with WebSocket frames. */
interface Answer {
  readonly message: IncomingMessage;
  readonly switched?: Upgrade;
}

function open(ctx: RequestContext, url: URL, { servingCa, proxy }: GatewayCredentials): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...passedOn(ctx.req.headers, NOT_ASKED_WITH),
      ...forwardedIdentity(ctx.user, ctx.authentication.expiresAt),
      [REQUEST_ID_HEADER]: ctx.requestId,
      ...(ctx.trail?.span && { traceparent: ctx.trail.span.traceparent }),
      ...(ctx.upgrade && { Connection: 'Upgrade', Upgrade: 'websocket' }),
    };
    const secure = {
      ...(servingCa !== undefined && { ca: servingCa }),
      cert: proxy?.cert,
      key: proxy?.key,
      agent: false,
    };
    // The path as it was judged here: a URL made of it might name another, or even another host.
    const options = { method: 'GET', path: ctx.req.url ?? '/', headers, timeout: CONNECT_MS };
    const upstream: ClientRequest =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, ...secure })
        : httpRequest(url, { ...options, agent: false });
    upstream.once('response', (message) => resolve({ message })).on('error', reject);
    upstream.once('upgrade', (message, socket: Socket, head) => resolve({ message, switched: { socket, head } }));
    upstream.once('timeout', () => upstream.destroy(new Error('the gateway does not answer')));
    ctx.res.once('close', () => upstream.destroy());
    upstream.end();
  });
}

/** Answers with what the gateway answers; its events are a watch, a refusal is none. */
function pass(ctx: RequestContext, answer: IncomingMessage): HandedWatch | undefined {
  answer.socket.setTimeout(0);
  const { statusCode = 502 } = answer;
  ctx.res.writeHead(statusCode, passedOn(answer.headers));
  ctx.res.flushHeaders();
  // A stream cut at the gateway is cut here too: a clean end would say that nothing is missing. But an HTTP/2 client
  // takes a broken stream for a failure of the server and lists again, where it goes on from its last version after an
  // end: which is as good, for a watch has nothing behind its last whole event.
  answer.once('close', () => {
    if (answer.complete || ctx.res.writableEnded) return;
    if (statusCode === 200 && http2StreamOf(ctx)) ctx.res.end();
    else cutOff(ctx);
  });
  if (statusCode !== 200) {
    answer.pipe(ctx.res);
    return undefined;
  }
  const ends = answer.headers['content-type']?.includes('protobuf') ? protobufEnds() : new LineEnds();
  return new HandedWatch(answer, ctx.res, ends, () => {
    ctx.res.setTimeout(LINGER_MS, () => cutOff(ctx));
    ctx.res.end();
  });
}

/** A close frame with the code 1000 (RFC 6455 section 5.5.1). */
const NORMAL_CLOSURE = Buffer.from([0x88, 0x02, 0x03, 0xe8]);

/** Joins a client's connection with a gateway's. */
function join(
  ctx: RequestContext,
  client: Upgrade,
  answer: IncomingMessage,
  gateway: Upgrade,
): HandedWatch | undefined {
  if (!switchProtocols(ctx, client, answer, gateway)) return undefined;
  const { socket } = client;
  return new HandedWatch(gateway.socket, socket, webSocketEnds(), () => {
    socket.setTimeout(LINGER_MS, () => socket.destroy());
    socket.end(NORMAL_CLOSURE);
  });
}
