import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Authenticator } from '@orch/authentication';
import type { Authorizer } from '@orch/authorization';
import { badRequest, type Names, StatusError } from '@orch/machinery';
import { limitBehind, type Representations, toStatusError } from '@orch/resources';
import type { Logger, Tracing } from '@orch/runtime';
import type { Auditor } from '../auditing/auditor.js';
import type { ApiListener } from '../http/api-listener.js';
import { cutOff, hearOfEnd, isTarget, leaveBody, left, type RequestContext, type Upgrade } from '../http/context.js';
import { sendError } from '../http/respond.js';
import type { Verbs } from '../http/verbs.js';
import type { AttemptObserver } from '../metrics/authentication-metrics.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import { RequestObserver } from '../metrics/request-observer.js';
import { HandedStreams } from '../proxying/handed-streams.js';
import type { OpenWatches } from '../watching/open-watches.js';
import type { Answerer } from './answerer.js';
import { auditing } from './auditing.js';
import { authentication } from './authentication.js';
import { authorization, deciding } from './authorization.js';
import { type ChainStage, pass } from './chain.js';
import { comingWatch } from './coming-watch.js';
import { withinDeadline } from './deadline.js';
import { flowControl } from './flow-control.js';
import type { FlowControl } from './flow-settings.js';
import { handler } from './handler.js';
import { impersonation } from './impersonation.js';
import { newContext } from './new-context.js';
import { requestInfo } from './request-info.js';
import type { ResourceRouter } from './router.js';

interface ListenerOptions {
  readonly names: Names;
  readonly representations: Representations;
  /** Deadline of requests other than watches, milliseconds. */
  readonly requestTimeoutMs: number;
  readonly router: ResourceRouter;
  readonly verbs: Verbs;
  readonly authenticator: Authenticator;
  /** Called for each attempt to authenticate. */
  readonly authenticationAttempted?: AttemptObserver;
  readonly authorizer: Authorizer;
  readonly flow: FlowControl;
  readonly watches: OpenWatches;
  /** Answers requests that are not for resources: health, discovery, documents, metrics. */
  readonly fallback: RequestListener;
  /** Proxies watches to a gateway; undefined if this process serves them itself. */
  readonly proxyWatch?: (ctx: RequestContext) => Promise<void>;
  /** Proxies requests to other servers; undefined if there are none. */
  readonly aggregator?: Answerer;
  /** Registry of the streams that other servers serve. Default: one for this listener alone. */
  readonly streams?: HandedStreams;
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  /** Milliseconds above which a request is logged with the durations of its phases. Default 0: never. */
  readonly slowRequestMs?: number;
  /** Records requests in the audit log; absent where there is none. */
  readonly auditor?: Auditor;
  /** Maximum number of values that one request may ask to impersonate. Default 256. */
  readonly maxImpersonationValues?: number;
  /** Records requests; absent when there is no tracing. */
  readonly tracing?: Tracing;
}

interface Serving extends ListenerOptions {
  readonly observer: RequestObserver;
  readonly stages: readonly ChainStage[];
}

/** Each costs a call of the authorizers. */
const IMPERSONATION_VALUES = 256;

/** Returns the stages for all requests, for resources and others, behind request info and deadline. */
function stagesOf(options: ListenerOptions, observer: RequestObserver): readonly ChainStage[] {
  const { names } = options;
  const decide = deciding(names);
  return [
    comingWatch(options.watches),
    authentication({
      authenticator: options.authenticator,
      names,
      logger: options.logger,
      observe: options.authenticationAttempted,
    }),
    ...(options.auditor ? [auditing(options.auditor)] : []),
    impersonation(names, options.maxImpersonationValues ?? IMPERSONATION_VALUES),
    flowControl(options.flow, options.metrics, decide),
    authorization(names, decide),
    answerer(options, observer),
  ];
}

/** The end of the chain: selects what answers the request. */
function answerer(options: ListenerOptions, observer: RequestObserver): ChainStage {
  const { aggregator, watches, metrics, streams = new HandedStreams() } = options;
  const here = handler({ ...options, others: options.fallback, observer });
  if (!aggregator) return here;
  return (ctx) => aggregator.answer(ctx, { watches, metrics, observer, streams }) ?? here(ctx);
}

/**
 * Creates the function that a server calls for each request, with the chain of stages behind it. The function returns
 * at once and never throws.
 */
export function createListener(options: ListenerOptions): ApiListener {
  const { metrics, logger, slowRequestMs = 0, tracing } = options;
  const observer = new RequestObserver({ metrics, logger, slowMs: slowRequestMs, tracing });
  const serving = { ...options, observer, stages: stagesOf(options, observer) };
  return (req, res, upgrade) => {
    hearOfEnd({ req, res });
    // Objects contain user data, which no browser may interpret as a page.
    res.setHeader('X-Content-Type-Options', 'nosniff');
    void serve(serving, req, res, upgrade);
  };
}

async function serve(
  options: Serving,
  req: IncomingMessage,
  res: ServerResponse,
  upgrade: Upgrade | undefined,
): Promise<void> {
  const { requestTimeoutMs, observer, stages, auditor } = options;
  const ctx = newContext(req, res, options, upgrade);
  try {
    if (!isTarget(req.url ?? '')) throw badRequest('the request target is not a path');
    checkHost(req);
    ctx.info = requestInfo(req.method ?? 'GET', ctx.path, ctx.query);
    await withinDeadline(ctx, requestTimeoutMs, () => pass(ctx, stages));
  } catch (error) {
    auditor?.refused(ctx, toStatusError(error));
    ctx.isGivenUp = true;
    answerError(options, ctx, error);
    observer.end(ctx);
    endUnread(ctx, requestTimeoutMs);
  }
}

/** Characters of a host with its port and delimiters (RFC 3986 section 3.2.2). */
const HOST = /^[\w!$%&'()*+,.:;=[\]~-]*$/;

/**
 * @throws StatusError 400 for a request of HTTP/1.1 whose `Host` is missing, invalid, or repeated, so that other
 * servers might choose another one (RFC 9112 section 3.2)
 */
function checkHost({ httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage): void {
  if (httpVersionMajor !== 1) return;
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'host') continue;
    if (host !== undefined) throw badRequest('too many Host headers');
    host = rawHeaders[at + 1] ?? '';
  }
  if (host === undefined && httpVersionMinor > 0) throw badRequest('missing required Host header');
  if (!HOST.test(host ?? '')) throw badRequest('malformed Host header');
}

/**
 * Closes an unread error answer after a while: it holds no seat, and would otherwise stay for as long as its
 * connection.
 */
function endUnread(ctx: RequestContext, ms: number): void {
  const leaving = left(ctx);
  if (!leaving) return;
  const timer = setTimeout(() => cutOff(ctx), ms);
  void leaving.then(() => clearTimeout(timer));
}

function answerError(options: ListenerOptions, ctx: RequestContext, thrown: unknown): void {
  const error = toStatusError(thrown);
  const limit = limitBehind(thrown);
  if (limit) options.metrics.refused(limit);
  const inner = error.code === 500 && !(thrown instanceof StatusError);
  if (inner) {
    options.logger.error('request failed', thrown, { requestID: ctx.requestId, path: ctx.path });
    ctx.audit?.panicked(thrown);
  }
  if (!ctx.res.headersSent) leaveBody(ctx);
  try {
    sendError(ctx, error, options.representations);
  } catch (failure) {
    // The answer is lost; an exception here would have no handler, and end the process.
    options.logger.error('error not answered', failure, { requestID: ctx.requestId, path: ctx.path });
    cutOff(ctx);
  }
}
