import type { RequestListener } from 'node:http';
import type { Names } from '@orch/machinery';
import { type Endpoint, tooMany } from '@orch/resources';
import { InitialBudgetError, SelectorBudgetError } from '@orch/watchcache';
import { cutOff, forgetHeaders, isGone, left, type RequestContext } from '../http/context.js';
import type { Route } from '../http/route.js';
import type { Verbs } from '../http/verbs.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { RequestObserver } from '../metrics/request-observer.js';
import { endWithCredential } from '../proxying/credential-end.js';
import type { OpenWatches } from '../watching/open-watches.js';
import type { ChainStage } from './chain.js';
import type { OpenContext } from './new-context.js';
import { isLongRunning } from './request-info.js';
import type { ResourceRouter } from './router.js';

interface HandlerOptions {
  readonly names: Names;
  readonly router: ResourceRouter;
  readonly verbs: Verbs;
  /** Answers requests that are not for resources: health, discovery, documents, metrics. */
  readonly others: RequestListener;
  /** Proxies watches to a gateway; undefined if this process serves them itself. */
  readonly proxyWatch?: (ctx: RequestContext) => Promise<void>;
  readonly metrics: RequestMetrics;
  readonly observer: RequestObserver;
  readonly watches: OpenWatches;
}

const SWITCHING_PROTOCOLS = 101;

/** Last stage of the chain: executes the request, and returns when the response has been sent or a stream has begun. */
export function handler(options: HandlerOptions): ChainStage {
  const { names, router, verbs, others, metrics, observer } = options;
  return async (ctx) => {
    const route = router.route(ctx.info);
    if (route) ctx.route = route;
    if (route?.endpoint.deprecation) {
      ctx.warnings.push(route.endpoint.deprecation);
      noteDeprecation(ctx, route.endpoint, names);
      metrics.deprecated(route);
    }
    observer.begin(ctx);
    if (route?.verb === 'watch') return beginWatch(options, ctx, route);
    if (route && isLongRunning(ctx.info)) await stream(options, ctx, route);
    else if (route) {
      await verbs.handle(ctx, route);
      ctx.isGivenUp = false;
      observer.end(ctx);
    } else others(ctx.req, ctx.res);
    if (ctx.res.statusCode === SWITCHING_PROTOCOLS) return forgetHeaders(ctx);
    await left(ctx);
    if (!route && ctx.trail) ctx.trail.bytes = lengthOf(ctx);
    observer.end(ctx);
  };
}

/** Returns the bytes of an answer that was sent in one piece elsewhere. */
const lengthOf = ({ req, res }: OpenContext): number =>
  req.method === 'HEAD' ? 0 : Number(res.getHeader('content-length') ?? 0);

/** Annotates the audit log (spec: "Deprecation rules"). */
function noteDeprecation({ annotations }: OpenContext, { definition }: Endpoint, names: Names): void {
  const domain = names.group('orch.io');
  annotations.set(`${domain}/deprecated`, 'true');
  const { removed } = definition.lifecycle;
  if (removed !== undefined) annotations.set(`${domain}/removed-release`, removed);
}

/**
 * Serves a stream that is no watch: until it ends, or the credential or the right to it does; one that has taken over
 * the connection goes on behind this.
 */
async function stream(options: HandlerOptions, ctx: OpenContext, route: Route): Promise<void> {
  if (isGone(ctx)) return;
  const close = open(options, ctx, route);
  ctx.res.once('close', close);
  ctx.watch?.endBy(() => cutOff(ctx));
  endWithCredential(ctx, () => cutOff(ctx));
  try {
    await options.verbs.handle(ctx, route);
  } catch (error) {
    close();
    throw error;
  }
  ctx.isGivenUp = false;
  options.observer.end(ctx);
}

async function beginWatch(options: HandlerOptions, ctx: OpenContext, route: Route): Promise<void> {
  const { verbs, proxyWatch, observer } = options;
  // The client disconnected during authentication.
  if (isGone(ctx)) return;
  const close = open(options, ctx, route);
  ctx.res.once('close', close);
  try {
    await (proxyWatch ? proxyWatch(ctx) : verbs.handle(ctx, route));
  } catch (error) {
    if (error instanceof SelectorBudgetError) options.metrics.refused('selectors');
    if (error instanceof InitialBudgetError) options.metrics.refused('initial-bytes');
    throw error;
  } finally {
    // A response that never reached its connection emits no further event.
    if (!ctx.res.headersSent && ctx.res.statusCode !== SWITCHING_PROTOCOLS) close();
  }
  observer.end(ctx);
  forgetHeaders(ctx);
}

/** Counts one more watch or other stream, until the returned function is first called. @throws StatusError 429 */
function open({ watches, metrics }: HandlerOptions, ctx: OpenContext, route: Route): () => void {
  const { authentication, user, info: request, impersonating, pendingWatch } = ctx;
  const watch = watches.admit({ authentication, user, request, impersonating }, pendingWatch);
  if (!watch) {
    metrics.refused(route.verb === 'watch' ? 'watches' : 'streams');
    throw tooMany();
  }
  ctx.watch = watch;
  const gauge = metrics.longRunning(route);
  gauge.add(1);
  let inside = true;
  return () => {
    if (inside) gauge.add(-1);
    inside = false;
    watches.release(watch);
  };
}
