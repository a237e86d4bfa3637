import type { IncomingHttpHeaders } from 'node:http';
import type { Authentication, Authenticator } from '@orch/authentication';
import { type Names, StatusError } from '@orch/machinery';
import type { Logger } from '@orch/runtime';
import { socketOf } from '../http/context.js';
import type { AttemptObserver } from '../metrics/authentication-metrics.js';
import { checkOrigin, takeProtocolToken } from '../sockets/web-socket-request.js';
import type { Stage } from './chain.js';
import type { OpenContext } from './new-context.js';

export interface AuthenticationSettings {
  readonly authenticator: Authenticator;
  readonly names: Names;
  readonly logger: Logger;
  readonly observe?: AttemptObserver | undefined;
}

/** Settles who asks. @throws StatusError 401; 403 for a WebSocket of another origin with a client certificate */
export function authentication(settings: AuthenticationSettings): Stage {
  const { authenticator, names } = settings;
  return async (ctx) => {
    const { req, upgrade } = ctx;
    if (upgrade) takeProtocolToken(req, names);
    const settled = await callerOf(ctx, settings);
    forgetRequestHeaders(authenticator, req.headers);
    if (upgrade && settled.method === 'x509') checkOrigin(req);
    ctx.authentication = settled;
    ctx.user = settled.user;
  };
}

async function callerOf(
  { req, requestId, path }: OpenContext,
  { authenticator, logger, observe }: AuthenticationSettings,
): Promise<Authentication> {
  const start = performance.now();
  const { headers, rawHeaders } = req;
  try {
    const found = await authenticator.authenticate({ socket: socketOf(req) ?? req.socket, headers, rawHeaders });
    observe?.('success', performance.now() - start, found.user.name);
    return found;
  } catch (error) {
    const why = error instanceof StatusError && error.cause instanceof Error ? error.cause.message : undefined;
    observe?.(why === 'no credentials' ? 'failure' : 'error', performance.now() - start);
    // Why is for whoever runs the server; whoever asks could guess with it.
    logger.info('unable to authenticate the request', { error: why, requestID: requestId, path });
    throw error;
  }
}

/** Whoever a front proxy speaks for is settled, and what anybody else says there goes on to nobody. */
function forgetRequestHeaders({ isRequestHeader }: Authenticator, headers: IncomingHttpHeaders): void {
  if (!isRequestHeader) return;
  for (const name of Object.keys(headers)) if (isRequestHeader(name)) delete headers[name];
}
