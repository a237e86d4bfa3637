import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { OF_THE_CALL, passedOn, type RequestContext, socketOf } from '@orch/serving';

/** Request headers that are left out of an upgrade: it has no body. */
const NOT_UPGRADED_WITH: ReadonlySet<string> = new Set([...OF_THE_CALL, 'content-length']);

/** Headers of a client's upgrade, as they came, without its credentials, and with its address. */
export function upgradeHeaders(ctx: RequestContext): OutgoingHttpHeaders {
  const { req } = ctx;
  return {
    ...asSeveral(req, passedOn(req.headers, NOT_UPGRADED_WITH)),
    'x-forwarded-for': forwardedFor(req),
    connection: 'Upgrade',
    upgrade: req.headers.upgrade ?? 'websocket',
  };
}

/** The addresses that a request came by, the client's first. */
const forwardedFor = (req: IncomingMessage): string =>
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
