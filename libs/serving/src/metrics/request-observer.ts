import type { Logger, Tracing } from '@orch/runtime';
import type { RequestContext } from '../http/context.js';
import { metricVerb } from './request-labels.js';
import type { RequestMetrics } from './request-metrics.js';
import type { RequestTrail } from './request-trail.js';

interface RequestObserverOptions {
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  /** Milliseconds above which a request is logged with the durations of its phases; 0 for never. */
  readonly slowMs: number;
  readonly tracing: Tracing | undefined;
}

/** Verbosity at which every request is logged. */
const ACCESS_LOG = 3;
const SERVER_ERROR = 500;
/** Maximum number of keys of refused annotations that are logged, once each: webhooks choose them. */
const MOST_REFUSED_KEYS = 1_000;

/** Counts, logs and traces requests for operators. */
export class RequestObserver {
  readonly #refusedKeys = new Set<string>();

  constructor(private readonly options: RequestObserverOptions) {}

  /**
   * Starts a request whose caller and route are known. Continues the trace of the client only if it has credentials, as
   * a trace context has the request recorded.
   */
  begin(ctx: RequestContext): void {
    const { trail, route } = ctx;
    const { tracing } = this.options;
    if (trail === undefined) return;
    trail.mark('authenticated');
    if (tracing === undefined) return;
    const name = route
      ? `${metricVerb(route.verb, ctx.req.headers['content-type'], route.subresource)} ${route.endpoint.definition.resource}`
      : 'other';
    const attributes = { 'http.request.method': ctx.req.method ?? '', 'url.path': ctx.path, 'audit.id': ctx.requestId };
    const { traceparent } = ctx.req.headers;
    const known = ctx.authentication.method !== 'anonymous';
    const from = known && typeof traceparent === 'string' ? traceparent : undefined;
    trail.span = tracing.request(name, from, { at: trail.began, attributes });
  }

  /**
   * An answer has been given, as far as this process is concerned. For a watch this is the beginning of its stream.
   * Repeated calls count once.
   */
  end(ctx: RequestContext): void {
    const { route, trail } = ctx;
    if (trail === undefined || trail.ended > 0) return;
    const code = ctx.res.statusCode;
    const series = this.options.metrics.series(ctx, route);
    series.count(code);
    const ended = performance.now();
    trail.ended = ended;
    if (route?.verb !== 'watch') series.time((ended - trail.began) / 1000);
    if (route) series.size(trail.bytes);
    if (trail.span) endSpan(ctx, trail, ended);
    this.#log(ctx, trail, ended);
    if (ctx.audit) this.#tellRefusedNotes(ctx);
  }

  #tellRefusedNotes({ annotations, requestId }: RequestContext): void {
    for (const key of annotations.refused) {
      if (this.#refusedKeys.has(key) || this.#refusedKeys.size >= MOST_REFUSED_KEYS) continue;
      this.#refusedKeys.add(key);
      this.options.logger.warn('an audit annotation was dropped, because another one has its key', {
        key,
        requestID: requestId,
      });
    }
  }

  #log(ctx: RequestContext, trail: RequestTrail, ended: number): void {
    const { logger, slowMs } = this.options;
    const ms = ended - trail.began;
    if (slowMs > 0 && ms >= slowMs && ctx.route?.verb !== 'watch') {
      logger.warn('slow request', { ...about(ctx, ms), legsMs: roundedLegs(trail, ended), bytes: trail.bytes });
    } else logger.v(ACCESS_LOG)?.info('request', about(ctx, ms));
  }
}

function about({ req, res, path, requestId, user, trail, annotations }: RequestContext, ms: number) {
  return {
    requestID: requestId,
    method: req.method,
    path,
    code: res.statusCode,
    ms: rounded(ms),
    user: user.name,
    userAgent: req.headers['user-agent'],
    traceID: trail?.span?.traceId,
    ...(annotations.size > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

function roundedLegs(trail: RequestTrail, ended: number): Record<string, number> {
  return Object.fromEntries(Object.entries(trail.legs(ended)).map(([name, ms]) => [name, rounded(ms)]));
}

function endSpan({ res: { statusCode: code }, annotations }: RequestContext, trail: RequestTrail, ended: number): void {
  const { span, began, authenticated, received, decoded, answering } = trail;
  if (authenticated > 0) span?.part('authenticate', began, authenticated);
  if (received > 0) span?.part('receive', authenticated, received);
  if (decoded > 0) span?.part('decode', received, decoded);
  if (answering > 0) span?.part('send', answering, ended);
  const attributes: Record<string, string | number> = { 'http.response.status_code': code };
  for (const [key, value] of annotations) attributes[`audit.annotation.${key}`] = value;
  span?.end({ at: ended, attributes, ...(code >= SERVER_ERROR && { error: `status ${code}` }) });
}
