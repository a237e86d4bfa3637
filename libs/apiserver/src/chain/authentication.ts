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
    const settled = await authenticator.authenticate({ socket: socketOf(req) ?? req.socket, headers: req.headers });
    if (upgrade && settled.method === 'x509') checkOrigin(req);
    ctx.authentication = settled;
    ctx.user = settled.user;
  };
}
