import type { IncomingHttpHeaders } from 'node:http';
import type { Authentication, Authenticator } from '@orch/authentication';
import { type Names, StatusError } from '@orch/machinery';
import type { Logger } from '@orch/runtime';
import { socketOf } from '../http/context.js';
import type { AttemptObserver } from '../metrics/authentication-metrics.js';
import { checkOrigin, takeProtocolToken } from '../sockets/web-socket-request.js';
import type { ChainStage } from './chain.js';
import type { OpenContext } from './new-context.js';

/** Matches a token behind two spaces, which is invalid: its sender would be anonymous without knowing why. */
const EXTRA_SPACE = /^ *bearer {2,}\S/i;
const SPACE_WARNING = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** Authenticator of the chain, and observers of its results. */
interface AuthenticationSettings {
  readonly authenticator: Authenticator;
  readonly names: Names;
  readonly logger: Logger;
  readonly observe?: AttemptObserver | undefined;
}

/** Methods that change nothing, and whose responses are not readable for pages of another origin. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Authenticates requests.
 * @throws StatusError 401; 403 for a page of another origin that writes, or opens a WebSocket, with a client
 * certificate
 */
export function authentication(settings: AuthenticationSettings): ChainStage {
  const { authenticator, names } = settings;
  return async (ctx) => {
    const { req, upgrade } = ctx;
    if (upgrade) takeProtocolToken(req, names);
    if (EXTRA_SPACE.test(req.headers.authorization ?? '')) ctx.warnings.push(SPACE_WARNING);
    const settled = await callerOf(ctx, settings);
    checkPurpose(settled, ctx);
    forgetRequestHeaders(authenticator, req.headers);
    for (const [key, value] of Object.entries(settled.annotations ?? {})) ctx.annotations.set(key, value);
    ctx.authentication = settled;
    ctx.user = settled.user;
    // Checked once the caller is known, for the audit log.
    if (settled.method === 'x509' && (upgrade || !SAFE.has(req.method ?? ''))) checkOrigin(req);
  };
}

/** Refuses a server that forwards watches for its users if it does anything else. @throws StatusError 401 */
function checkPurpose({ onlyFor }: Authentication, { info }: OpenContext): void {
  if (onlyFor !== undefined && !(info.isResourceRequest && info.verb === onlyFor))
    throw new StatusError('Unauthorized', 'Unauthorized');
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
    // The reason is for the operator only; it could help an attacker.
    logger.info('unable to authenticate the request', { error: why, requestID: requestId, path });
    throw error;
  }
}

/**
 * Deletes the identity headers of front proxies: they have been evaluated, and those of other clients must not be
 * forwarded.
 */
function forgetRequestHeaders({ isRequestHeader }: Authenticator, headers: IncomingHttpHeaders): void {
  if (!isRequestHeader) return;
  for (const name of Object.keys(headers)) if (isRequestHeader(name)) delete headers[name];
}
