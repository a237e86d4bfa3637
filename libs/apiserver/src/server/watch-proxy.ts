import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { forwardedIdentity, isIdentityHeader } from '@orch/authentication';
import { unavailable } from '@orch/machinery';
import { cutOff, http2StreamOf, isGone, type RequestContext, type Upgrade } from '../http/context.js';
import { REQUEST_ID_HEADER } from '../http/request-id.js';
import { KEEP_ALIVE_MS } from '../http/watch-stream.js';
import type { CredentialSet } from './credential-set.js';

/** Seconds after which a client may ask again when no gateway could be reached. */
const RETRY_SECONDS = 1;
const CONNECT_MS = 5_000;

/** Headers of one hop, which are not passed on (RFC 9110 section 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
]);

/** Headers of a request that are of this server alone: whom it speaks to, who asks, and a body that is not passed on. */
const NOT_ASKED_WITH: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'proxy-authorization',
  'content-length',
  'expect',
]);

/** By what gateways are known, and what they are shown. */
type Shown = Pick<CredentialSet, 'servingCa' | 'proxy'>;

/**
 * Hands watches to gateways, each to the next in turn. The caller's identity travels in headers that a gateway believes
 * because of the certificate it comes with (spec: "Authenticating proxy"), so that it judges the caller, not this server.
 */
export function watchProxy(
  gateways: readonly string[],
  credentials: () => Shown,
  sent: (host: string, method: string, code: string) => void = () => undefined,
): (ctx: RequestContext) => Promise<void> {
  let turn = 0;
  return async (ctx) => {
    // Its own from here on: were the turn shared, another request's would make this one ask the same gateway again.
    const first = turn++;
    for (let attempt = 0; attempt < gateways.length; attempt++) {
      if (isGone(ctx)) return;
      const gateway = gateways[(first + attempt) % gateways.length] as string;
      const url = new URL(gateway);
      const answer = await open(ctx, url, credentials()).catch(() => undefined);
      sent(url.host, 'GET', String(answer?.message.statusCode ?? '<error>'));
      if (answer?.switched && ctx.upgrade) return join(ctx, ctx.upgrade, answer.message, answer.switched);
      if (answer) return pass(ctx, answer.message);
    }
    if (isGone(ctx)) return;
    throw unavailable('no watch gateway can be reached', RETRY_SECONDS);
  };
}

/** What a gateway answers; `switched` when it goes on with WebSocket frames. */
interface Answer {
  readonly message: IncomingMessage;
  readonly switched?: Upgrade;
}

function open(ctx: RequestContext, url: URL, { servingCa, proxy }: Shown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...passedOn(ctx.req.headers, NOT_ASKED_WITH),
      ...forwardedIdentity(ctx.user, ctx.expiresAt),
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

function pass(ctx: RequestContext, answer: IncomingMessage): void {
  answer.socket.setTimeout(0);
  const { statusCode = 502 } = answer;
  ctx.res.writeHead(statusCode, passedOn(answer.headers));
  ctx.res.flushHeaders();
  answer.pipe(ctx.res);
  // A stream cut at the gateway is cut here too: a clean end would say that nothing is missing. But an HTTP/2 client
  // takes a broken stream for a failure of the server and lists again, where it goes on from its last version after an
  // end: which is as good, for a watch has nothing behind its last whole event.
  answer.once('close', () => {
    if (answer.complete) return;
    if (statusCode === 200 && http2StreamOf(ctx)) ctx.res.end();
    else cutOff(ctx);
  });
}

/** Joins a client's connection with a gateway's; what the gateway said of the handshake goes on as it is. */
function join(ctx: RequestContext, { socket, head }: Upgrade, answer: IncomingMessage, gateway: Upgrade): void {
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
  for (const [name, value] of Object.entries(passedOn(answer.headers))) lines.push(`${name}: ${value}`);
  if (socket.destroyed) {
    gateway.socket.destroy();
    return;
  }
  ctx.res.statusCode = 101;
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.write(gateway.head);
  gateway.socket.write(head);
  for (const [from, to] of [
    [socket, gateway.socket],
    [gateway.socket, socket],
  ] as const) {
    from.setTimeout(0);
    from.setNoDelay(true);
    from.setKeepAlive(true, KEEP_ALIVE_MS);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroySoon());
    from.pipe(to);
  }
}

function passedOn(
  headers: IncomingMessage['headers'],
  except: ReadonlySet<string> = new Set(),
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    // Those of HTTP/2 that begin with a colon speak of its own connection.
    if (
      value !== undefined &&
      !name.startsWith(':') &&
      !HOP_BY_HOP.has(name) &&
      !except.has(name) &&
      !isIdentityHeader(name)
    )
      kept[name] = value;
  }
  return kept;
}
