import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ANONYMOUS, type Authentication, type Authenticator, type UserInfo } from '@orch/authentication';
import { StatusError, timeout } from '@orch/machinery';
import type { GaugeSeries, Logger, Tracing } from '@orch/runtime';
import type { ApiDeps } from '../deps.js';
import {
  forgetHeaders,
  hearOfEnd,
  isGone,
  leaveBody,
  type RequestContext,
  socketOf,
  splitTarget,
  type Upgrade,
} from '../http/context.js';
import { toStatusError } from '../http/errors.js';
import { requestIdOf } from '../http/request-id.js';
import { sendError } from '../http/respond.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import { RequestObserver } from '../metrics/request-observer.js';
import { RequestTrail } from '../metrics/request-trail.js';
import { checkOrigin, takeProtocolToken } from '../sockets/web-socket-request.js';
import type { Authorizer } from './authorization.js';
import { requestDeadline } from './request-deadline.js';
import { handle, type ResourceRouter, type Route } from './router.js';

/** Takes a request of any version of HTTP; `upgrade` when its client wants to go on as a WebSocket. */
export type ApiListener = (req: IncomingMessage, res: ServerResponse, upgrade?: Upgrade) => void;

export interface ListenerOptions {
  readonly deps: ApiDeps;
  readonly router: ResourceRouter;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Everything that is not a resource: health, discovery, documents, metrics. */
  readonly fallback: RequestListener;
  /** Carries watches elsewhere; undefined where this process serves them itself. */
  readonly proxyWatch?: (ctx: RequestContext) => Promise<void>;
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  /** Milliseconds from which on a request is logged with its legs. Default 0: never. */
  readonly slowRequestMs?: number;
  /** Records requests; absent when there is no tracing. */
  readonly tracing?: Tracing;
}

interface Serving extends ListenerOptions {
  readonly observer: RequestObserver;
}

const SWITCHING_PROTOCOLS = 101;
/** Seconds after which a request that ran out of time may be tried again. */
const RETRY_SECONDS = 1;

/**
 * The chain of one request: authenticate → authorize → route → carry out. Resource verbs take this thin path of their
 * own; the rest goes through the same authentication and authorization to `fallback`.
 */
export function createListener(options: ListenerOptions): ApiListener {
  const { metrics, logger, slowRequestMs = 0, tracing } = options;
  const serving = { ...options, observer: new RequestObserver({ metrics, logger, slowMs: slowRequestMs, tracing }) };
  return (req, res, upgrade) => {
    hearOfEnd({ req, res });
    void serve(serving, req, res, upgrade);
  };
}

async function serve(
  options: Serving,
  req: IncomingMessage,
  res: ServerResponse,
  upgrade: Upgrade | undefined,
): Promise<void> {
  const { path, query } = splitTarget(req.url ?? '/');
  const { observer } = options;
  let ctx = contextOf(req, res, path, query, ANONYMOUS.user);
  let route: Route | undefined;
  try {
    const { user, expiresAt } = await authenticate(options, req, upgrade);
    ctx = { ...ctx, user, ...(expiresAt !== undefined && { expiresAt }), ...(upgrade && { upgrade }) };
    const method = req.method ?? 'GET';
    const denial = options.authorizer.authorize({ user, method, path });
    if (denial) throw denial;
    route = options.router.route(method, path, query);
    if (route?.endpoint.deprecation) {
      ctx.warnings.push(route.endpoint.deprecation);
      options.metrics.deprecated(route);
    }
    // Watches end by another option, and wait for nothing.
    const deadline = route?.verb === 'watch' ? 0 : requestDeadline(query, options.deps.limits.requestTimeoutMs);
    observer.begin(ctx, route, user !== ANONYMOUS.user);
    if (route) return await carryOut(options, ctx, route, deadline);
    options.fallback(req, res);
    res.once('close', () => observer.end(ctx, undefined));
  } catch (error) {
    answerError(options, ctx, error);
    observer.end(ctx, route);
  }
}

async function authenticate(
  options: ListenerOptions,
  req: IncomingMessage,
  upgrade: Upgrade | undefined,
): Promise<Authentication> {
  if (upgrade) takeProtocolToken(req, options.deps.names);
  const { headers } = req;
  const authentication = await options.authenticator.authenticate({ socket: socketOf(req) ?? req.socket, headers });
  if (upgrade && authentication.method === 'x509') checkOrigin(req);
  return authentication;
}

async function carryOut(options: Serving, ctx: RequestContext, route: Route, deadlineMs: number): Promise<void> {
  const { deps, metrics, proxyWatch, observer } = options;
  if (route.verb === 'watch') {
    // The client went while it was found out who asks.
    if (isGone(ctx)) return;
    const leave = enter(metrics.longRunning(route));
    ctx.res.once('close', leave);
    await (proxyWatch ? proxyWatch(ctx) : handle(deps, ctx, route));
    // Nothing more is heard of a response that never got to its connection.
    if (!ctx.res.headersSent && ctx.res.statusCode !== SWITCHING_PROTOCOLS) leave();
    observer.end(ctx, route);
    forgetHeaders(ctx);
    return;
  }
  const inflight = metrics.enter(route, performance.now());
  try {
    await withDeadline(handle(deps, ctx, route), deadlineMs);
  } catch (error) {
    answerError(options, ctx, error);
  } finally {
    inflight.leave();
    observer.end(ctx, route);
  }
}

/** Counts one more, until the returned function is first called. */
function enter(gauge: GaugeSeries): () => void {
  let inside = true;
  gauge.add(1);
  return () => {
    if (inside) gauge.add(-1);
    inside = false;
  };
}

function contextOf(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  query: URLSearchParams,
  user: UserInfo,
): RequestContext {
  return { req, res, path, query, requestId: requestIdOf(req), user, warnings: [], trail: new RequestTrail() };
}

/** Rejects with 504 when the work takes too long; what was begun may still be finished, as with any time-out. */
async function withDeadline(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timeout('the request timed out', RETRY_SECONDS)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function answerError(options: ListenerOptions, ctx: RequestContext, thrown: unknown): void {
  const error = toStatusError(thrown);
  const inner = error.code === 500 && !(thrown instanceof StatusError);
  if (inner) options.logger.error('request failed', thrown, { requestID: ctx.requestId, path: ctx.path });
  if (!ctx.res.headersSent) leaveBody(ctx);
  sendError(ctx, error, options.deps.representations);
}
