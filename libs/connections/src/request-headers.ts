import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { hostOf, http2StreamOf, OF_THE_CALL, passedOn, type RequestContext, socketOf } from '@orch/serving';
import { SPDY } from '@orch/streaming';

/** Request headers that are left out of an upgrade: it has no body. */
const NOT_UPGRADED_WITH: ReadonlySet<string> = new Set([...OF_THE_CALL, 'content-length']);

/** Headers that are replaced, or removed where this server has no value for them. */
const FORWARDED = ['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-uri'];
const NOT_PROXIED_WITH: ReadonlySet<string> = new Set([...OF_THE_CALL, ...FORWARDED]);

/** Headers that say how a request reached this server, whatever its client claims. */
export function forwardedOf(req: IncomingMessage): Record<string, string> {
  const host = hostOf(req);
  return {
    ...(host !== undefined && { 'x-forwarded-host': host }),
    'x-forwarded-proto': (socketOf(req) as Partial<TLSSocket> | undefined)?.encrypted ? 'https' : 'http',
    'x-forwarded-uri': (req.url ?? '/').replace(/\?.*$/s, ''),
  };
}

/** Whether there is, or may be, a body whose length was not declared. */
export function hasUnmeasuredBody({ req, res }: Pick<RequestContext, 'req' | 'res'>): boolean {
  if (req.headers['content-length'] !== undefined) return false;
  const stream = http2StreamOf({ res });
  return stream ? !stream.endAfterHeaders : req.headers['transfer-encoding'] !== undefined;
}

/** Headers of a client's request as it is passed on, without its credentials, and with how it came. */
export function proxyHeaders({ req, res }: RequestContext): OutgoingHttpHeaders {
  const host = hostOf(req);
  return {
    ...passedOn(req.headers, NOT_PROXIED_WITH),
    ...(host !== undefined && { host }),
    'x-forwarded-for': forwardedFor(req),
    ...forwardedOf(req),
    // Node does not frame bodies of methods that seldom have one: the bytes would be parsed as the next request.
    ...(hasUnmeasuredBody({ req, res }) && { 'transfer-encoding': 'chunked' }),
  };
}

/** Headers of a client's upgrade, as they came, `Host` included, without its credentials, and with its address. */
export function upgradeHeaders(ctx: RequestContext): OutgoingHttpHeaders {
  const { req } = ctx;
  const host = hostOf(req);
  return {
    ...asSeveral(req, passedOn(req.headers, NOT_UPGRADED_WITH)),
    ...(host !== undefined && { host }),
    'x-forwarded-for': forwardedFor(req),
    connection: 'Upgrade',
    upgrade: req.headers.upgrade ?? 'websocket',
  };
}

/** Headers with which an agent is asked for SPDY/3.1 and one of several protocols, for a client's WebSocket. */
export function spdyHeaders(ctx: RequestContext, protocols: readonly string[]): OutgoingHttpHeaders {
  const headers = { ...upgradeHeaders(ctx), upgrade: SPDY, 'x-stream-protocol-version': [...protocols] };
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('sec-websocket-')));
}

/** Whether an answer goes on with SPDY/3.1. */
export const isSpdy = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === SPDY.toLowerCase();

/** The addresses that a request came by, the client's first. */
export const forwardedFor = (req: IncomingMessage): string =>
  [...[req.headers['x-forwarded-for'] ?? []].flat(), socketOf(req)?.remoteAddress ?? ''].join(', ');

/**
 * Gives headers that came several times back as several: agents look for a protocol among the values of
 * `X-Stream-Protocol-Version`, each of which is a header of its own.
 */
function asSeveral(req: IncomingMessage, headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const several: OutgoingHttpHeaders = { ...headers };
  for (const [name, values] of Object.entries(req.headersDistinct))
    if (values && values.length > 1 && headers[name] === values.join(', ')) several[name] = values;
  return several;
}
