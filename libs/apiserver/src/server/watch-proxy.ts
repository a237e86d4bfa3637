import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { forwardedIdentity, isIdentityHeader } from '@orch/authentication';
import { unavailable } from '@orch/machinery';
import type { RequestContext } from '../http/context.js';
import type { Credentials } from './credentials.js';

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

/**
 * Hands watches to gateways, each to the next in turn. The caller's identity travels in headers that a gateway believes
 * because of the certificate it comes with (spec: "Authenticating proxy"), so that it judges the caller, not this server.
 */
export function watchProxy(gateways: readonly string[], { pki }: Credentials): (ctx: RequestContext) => Promise<void> {
  let turn = 0;
  return async (ctx) => {
    for (let attempt = 0; attempt < gateways.length; attempt++) {
      if (ctx.res.destroyed) return;
      const gateway = gateways[turn++ % gateways.length] as string;
      const answer = await open(ctx, new URL(gateway), pki).catch(() => undefined);
      if (answer) return pass(ctx, answer);
    }
    if (ctx.res.destroyed) return;
    throw unavailable('no watch gateway can be reached', RETRY_SECONDS);
  };
}

function open(ctx: RequestContext, url: URL, pki: Credentials['pki']): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { ...passedOn(ctx.req.headers, NOT_ASKED_WITH), ...forwardedIdentity(ctx.user) };
    const secure = { ca: pki.ca.cert, cert: pki.proxy.cert, key: pki.proxy.key, agent: false };
    // The path as it was judged here: a URL made of it might name another, or even another host.
    const options = { method: 'GET', path: ctx.req.url ?? '/', headers, timeout: CONNECT_MS };
    const upstream: ClientRequest =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, ...secure })
        : httpRequest(url, { ...options, agent: false });
    upstream.once('response', resolve).on('error', reject);
    upstream.once('timeout', () => upstream.destroy(new Error('the gateway does not answer')));
    ctx.res.once('close', () => upstream.destroy());
    upstream.end();
  });
}

function pass(ctx: RequestContext, answer: IncomingMessage): void {
  answer.socket.setTimeout(0);
  ctx.res.writeHead(answer.statusCode ?? 502, passedOn(answer.headers));
  ctx.res.flushHeaders();
  answer.pipe(ctx.res);
  // A stream cut at the gateway is cut here too: a clean end would say that nothing is missing.
  answer.once('close', () => {
    if (!answer.complete) ctx.res.destroy();
  });
}

function passedOn(
  headers: IncomingMessage['headers'],
  except: ReadonlySet<string> = new Set(),
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && !except.has(name) && !isIdentityHeader(name))
      kept[name] = value;
  }
  return kept;
}
