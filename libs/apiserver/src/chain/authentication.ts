import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticator } from '@orch/authentication';
import type { Names } from '@orch/machinery';
import { socketOf } from '../http/context.js';
import { checkOrigin, takeProtocolToken } from '../sockets/web-socket-request.js';
import type { Stage } from './chain.js';

/** Settles who asks. @throws StatusError 401; 403 for a WebSocket of another origin with a client certificate */
export function authentication(authenticator: Authenticator, names: Names): Stage {
  return async (ctx) => {
    const { req, upgrade } = ctx;
    if (upgrade) takeProtocolToken(req, names);
    const { headers, rawHeaders } = req;
    const settled = await authenticator.authenticate({ socket: socketOf(req) ?? req.socket, headers, rawHeaders });
    forgetRequestHeaders(authenticator, headers);
    if (upgrade && settled.method === 'x509') checkOrigin(req);
    for (const [key, value] of Object.entries(settled.annotations ?? {})) ctx.annotations.set(key, value);
    ctx.authentication = settled;
    ctx.user = settled.user;
  };
}

/** Whoever a front proxy speaks for is settled, and what anybody else says there goes on to nobody. */
function forgetRequestHeaders({ isRequestHeader }: Authenticator, headers: IncomingHttpHeaders): void {
  if (!isRequestHeader) return;
  for (const name of Object.keys(headers)) if (isRequestHeader(name)) delete headers[name];
}
