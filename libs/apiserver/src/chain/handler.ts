import type { RequestListener } from 'node:http';
import type { GaugeSeries } from '@orch/runtime';
import type { ApiDeps } from '../deps.js';
import { forgetHeaders, isGone, left, type RequestContext } from '../http/context.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { RequestObserver } from '../metrics/request-observer.js';
import type { Stage } from './chain.js';
import { handle, type ResourceRouter, type Route } from './router.js';

export interface HandlerOptions {
  readonly deps: ApiDeps;
  readonly router: ResourceRouter;
  /** Answers whatever is not a resource: health, discovery, documents, metrics. */
  readonly others: RequestListener;
  /** Carries watches elsewhere; undefined where this process serves them itself. */
  readonly proxyWatch?: (ctx: RequestContext) => Promise<void>;
  readonly metrics: RequestMetrics;
  readonly observer: RequestObserver;
}

const SWITCHING_PROTOCOLS = 101;

/** The end of the chain: carries out what is asked for, and lasts until the answer has left or a stream has begun. */
export function handler(options: HandlerOptions): Stage {
  const { deps, router, others, metrics, observer } = options;
  return async (ctx) => {
    const route = router.route(ctx.info);
    if (route) ctx.route = route;
    if (route?.endpoint.deprecation) {
      ctx.warnings.push(route.endpoint.deprecation);
      metrics.deprecated(route);
    }
    observer.begin(ctx);
    if (route?.verb === 'watch') return beginWatch(options, ctx, route);
    if (route) {
      const inflight = metrics.enter(route, performance.now());
      ctx.onEnd.push(() => inflight.leave());
      await handle(deps, ctx, route);
      observer.end(ctx);
    } else others(ctx.req, ctx.res);
    await left(ctx);
    observer.end(ctx);
  };
}

async function beginWatch(
  { deps, metrics, proxyWatch, observer }: HandlerOptions,
  ctx: RequestContext,
  route: Route,
): Promise<void> {
  // The client went while it was found out who asks.
  if (isGone(ctx)) return;
  const leave = enter(metrics.longRunning(route));
  ctx.res.once('close', leave);
  await (proxyWatch ? proxyWatch(ctx) : handle(deps, ctx, route));
  // Nothing more is heard of a response that never got to its connection.
  if (!ctx.res.headersSent && ctx.res.statusCode !== SWITCHING_PROTOCOLS) leave();
  observer.end(ctx);
  forgetHeaders(ctx);
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
