import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ANONYMOUS, type Authenticator, type UserInfo } from '@orch/authentication';
import { StatusError, timeout } from '@orch/machinery';
import type { GaugeSeries, Logger } from '@orch/runtime';
import type { Authorizer } from '../authorization.js';
import type { ApiDeps } from '../deps.js';
import { toStatusError } from '../errors.js';
import { handle, type ResourceRouter, type Route } from '../router.js';
import { type RequestContext, splitTarget } from './context.js';
import type { RequestMetrics } from './request-metrics.js';
import { sendError } from './respond.js';

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
}

/** Seconds after which a request that ran out of time may be tried again. */
const RETRY_SECONDS = 1;

/**
 * The chain of one request: authenticate → authorize → route → carry out. Resource verbs take this thin path of their
 * own; the rest goes through the same authentication and authorization to `fallback`.
 */
export function createListener(options: ListenerOptions): RequestListener {
  return (req, res) => {
    void serve(options, req, res);
  };
}

async function serve(options: ListenerOptions, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { path, query } = splitTarget(req.url ?? '/');
  let ctx = contextOf(req, res, path, query, ANONYMOUS.user);
  try {
    const { user } = await options.authenticator.authenticate(req);
    ctx = { ...ctx, user };
    const method = req.method ?? 'GET';
    const denial = options.authorizer.authorize({ user, method, path });
    if (denial) throw denial;
    const route = options.router.route(method, path, query);
    if (route?.endpoint.deprecation) {
      ctx.warnings.push(route.endpoint.deprecation);
      options.metrics.deprecated(route);
    }
    if (route) await carryOut(options, ctx, route);
    else options.fallback(req, res);
  } catch (error) {
    answerError(options, ctx, error);
  }
}

async function carryOut(options: ListenerOptions, ctx: RequestContext, route: Route): Promise<void> {
  const { deps, metrics, proxyWatch } = options;
  if (route.verb === 'watch') {
    // The client went while it was found out who asks.
    if (ctx.res.destroyed) return;
    const leave = enter(metrics.longRunning(route));
    ctx.res.once('close', leave);
    await (proxyWatch ? proxyWatch(ctx) : handle(deps, ctx, route));
    // Nothing more is heard of a response that never got to its connection.
    if (!ctx.res.headersSent) leave();
    metrics.total(route, ctx.res.statusCode).inc();
    return;
  }
  const inflight = metrics.inflight(route);
  const began = performance.now();
  inflight.add(1);
  try {
    await withDeadline(handle(deps, ctx, route), deps.limits.requestTimeoutMs);
  } catch (error) {
    answerError(options, ctx, error);
  } finally {
    inflight.add(-1);
    metrics.total(route, ctx.res.statusCode).inc();
    metrics.duration(route).observe((performance.now() - began) / 1000);
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
  return { req, res, path, query, requestId: randomUUID(), user, warnings: [] };
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
  // What is left of a body that nobody will read must not keep the connection.
  if (!ctx.req.complete && !ctx.res.headersSent) ctx.res.setHeader('Connection', 'close');
  sendError(ctx, error, options.deps.representations);
}
