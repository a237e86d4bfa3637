import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { AuditNotes } from '@orch/audit';
import type { Authentication, Authenticator, UserInfo } from '@orch/authentication';
import type { Authorizer, Decision, RequestAttributes } from '@orch/authorization';
import { timeout } from '@orch/machinery';
import type { RequestInfo } from '../chain/request-info.js';
import type { RequestTrail } from '../metrics/request-trail.js';
import type { AdmittedWatch, PendingWatch } from '../watching/open-watches.js';
import type { AuditRecord } from './audit-record.js';
import type { Route } from './route.js';

/**
 * A request on its way through the chain. Requests of HTTP/2 have the shape of those of HTTP/1.1; only the functions
 * below handle the differences.
 */
export interface RequestContext {
  /** Request as Node gives it. */
  readonly req: IncomingMessage;
  /** Response that stages and handlers write to. */
  readonly res: ServerResponse;
  /** Path without the query. */
  readonly path: string;
  /** Parsed query of the URL. */
  readonly query: URLSearchParams;
  /** Unique per request; answered as `Audit-Id` and written to logs. */
  readonly requestId: string;
  /** Attributes parsed from method and URL before authentication. */
  readonly info: RequestInfo;
  /** Result of authentication, and its expiry; anonymous until the request has been authenticated. */
  readonly authentication: Authentication;
  /** User that the request is authorized for: the impersonated one where the caller impersonates. */
  readonly user: UserInfo;
  /** Permissions that the caller needed for impersonation, in order; absent without impersonation. */
  readonly impersonating?: readonly RequestAttributes[];
  /** Resolved endpoint and verb; undefined for paths that are no resource, and until routed. */
  readonly route?: Route;
  /** Authenticator and authorizer, for requests that ask about other users (reviews). */
  readonly access: Access;
  /**
   * Authorizes another action that the request turns out to need, such as a creation by PUT.
   * @throws StatusError 403
   */
  authorize(request: RequestAttributes): Promise<void>;
  /**
   * Counts received bytes of the body, until the request is over.
   * @throws StatusError 429 when the bodies in memory reach their limit
   */
  holdBody(bytes: number): void;
  /** Deadline of the request, monotonic milliseconds (`performance.now()`); absent for long-running requests. */
  readonly deadline?: number;
  /** Whether an error has been sent while the request may still be executing; absent if that has never happened. */
  readonly isGivenUp?: boolean;
  /** Texts that go out as `Warning` headers with code 299. */
  readonly warnings: string[];
  /** Annotations for the audit log, by key; also written to the request log and to traces. */
  readonly annotations: AuditNotes;
  /**
   * Audit record of the request; null where the policy wants none, absent until that is decided and without auditing.
   */
  readonly audit?: AuditRecord | null;
  /** Connection that the client asks to upgrade to a WebSocket; absent for other requests. */
  readonly upgrade?: Upgrade;
  /** Timestamps of the request; absent where nothing observes them. */
  readonly trail?: RequestTrail;
  /** Collects changes of permissions while a watch is being admitted. */
  readonly pendingWatch?: PendingWatch;
  /** Entry of the request among the open watches, once it is one. */
  readonly watch?: AdmittedWatch;
  /** Seat of the request, for handlers that write a long response; absent where seats are not bounded. */
  readonly seat?: AnswerSeat;
  /** Decision of the authorizers, once it is made. */
  readonly decided?: Decision;
  /** Callbacks for the end of the request: executed and answered, or given up; for a watch, its stream has begun. */
  readonly onEnd: (() => void)[];
}

/**
 * Seat of a request while its response is produced, which may be released between two pieces while the client does not
 * read.
 */
export interface AnswerSeat {
  /** Work stops until the client has read on. */
  rest(): void;
  /** The client has read on: resolves when work may continue, at once if the seat is still held. */
  workOn(): Promise<void> | undefined;
}

/** Authenticator and authorizer of the chain. */
export interface Access {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
}

/** A connection that its client asks to turn into a WebSocket. */
export interface Upgrade {
  /** TCP or TLS socket of the client. */
  readonly socket: Socket;
  /** Bytes that the client sent behind the request. */
  readonly head: Buffer;
}

/** Seconds after which a request that timed out may be retried. */
const RETRY_SECONDS = 1;

type Answering = Pick<RequestContext, 'res'>;

/** Returns the stream of a request that arrived over HTTP/2. */
export const http2StreamOf = ({ res }: Answering): ServerHttp2Stream | undefined =>
  (res as unknown as Partial<Http2ServerResponse>).stream;

/** Returns the connection of a request; undefined when it is gone. */
export function socketOf(req: IncomingMessage): Socket | undefined {
  const { stream } = req as unknown as Partial<Http2ServerRequest>;
  // The same object for the whole session, while the socket of a compatible request would be another for each request.
  return stream ? (stream.session?.socket as Socket | undefined) : req.socket;
}

/** Host that a request is addressed to: `Host`, over HTTP/2 `:authority`. */
export function hostOf({ headers }: IncomingMessage): string | undefined {
  const authority = headers[':authority'];
  return typeof authority === 'string' ? authority : headers.host;
}

/** Whether the client is gone. */
export const isGone = (ctx: Answering): boolean => (http2StreamOf(ctx) ?? ctx.res).destroyed;

/** Resolves when no part of the response waits in this process any more, or its client is gone. */
export function left(ctx: Answering): Promise<void> | undefined {
  return isGone(ctx) ? undefined : new Promise((resolve) => ctx.res.once('close', resolve));
}

/** Whether the request has been answered, or its client is gone: work for it alone may stop. */
export const isOver = (ctx: Answering): boolean => ctx.res.writableEnded || isGone(ctx);

/** Aborts once the request is over, see {@link isOver}: ends work that is only for this request. */
export function endOf(ctx: Answering): AbortSignal {
  const ending = new AbortController();
  const end = () => ending.abort(timeout('nobody waits for the answer any more', RETRY_SECONDS));
  if (isOver(ctx)) end();
  else ctx.res.once('close', end);
  return ending.signal;
}

/**
 * Drops the headers of a request, credentials among them, while its connection lasts. Those of HTTP/2 stay with their
 * stream.
 */
export function forgetHeaders(ctx: RequestContext): void {
  if (http2StreamOf(ctx)) return;
  ctx.req.headers = {};
  ctx.req.rawHeaders = [];
}

/** Responses that this process has aborted. */
const CUT = new WeakSet<ServerResponse>();

/** Whether this process has aborted the response, see {@link cutOff}. */
export const wasCutOff = ({ res }: Answering): boolean => CUT.has(res);

/** Aborts a response that cannot be completed, so that its client does not take it for complete. */
export function cutOff(ctx: Answering): void {
  CUT.add(ctx.res);
  const stream = http2StreamOf(ctx);
  if (stream) {
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  ctx.res.destroy();
  // A pipelined response has no connection of its own to end yet.
  ctx.res.req.socket.destroy();
}

/**
 * Makes a pipelined response of HTTP/1.1 notice the end of its connection: by itself, only the first response of a
 * connection does, and code that waits for the others to be read would wait for ever.
 */
export function observeEnd({ req, res }: Pick<RequestContext, 'req' | 'res'>): void {
  if (http2StreamOf({ res }) || res.socket) return;
  const { socket } = req;
  const ended = () => {
    res.destroy();
    res.emit('close');
  };
  // The client decides how many requests wait, so that many listeners are no leak to warn of.
  socket.setMaxListeners(0).once('close', ended);
  res.once('socket', () => socket.off('close', ended));
}

/** Milliseconds for the rest of an unread body to arrive. */
const LEFT_BODY_MS = 10_000;

/**
 * Reads and discards the rest of a body that no handler will read, for up to `limitMs`: closing the connection could
 * lose the response to a client that still sends, and over HTTP/2 a reset would lose the flow-control window that the
 * body holds.
 */
export function leaveBody({ req, res }: Pick<RequestContext, 'req' | 'res'>, limitMs = LEFT_BODY_MS): void {
  const stream = http2StreamOf({ res });
  const whole = stream ? stream.endAfterHeaders || stream.readableEnded : req.complete;
  if (whole) return;
  req.resume();
  const cut = () => (stream ? stream.close(constants.NGHTTP2_NO_ERROR) : req.socket.destroy());
  const limit = setTimeout(cut, limitMs);
  (stream ?? req).once('close', () => clearTimeout(limit));
}

const AUTHORITY = /^https?:\/\/[^/?#\\]*(?=[/?]|$)/i;

/** Returns a request target without scheme and authority, which servers must accept (RFC 9112 section 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(AUTHORITY, '');
  return path === target || path.startsWith('/') ? path : `/${path}`;
}

const PATH_AND_QUERY = /^(?:\/[!-"$-~]*|\*)$/;

/**
 * Whether a request target without an authority is valid (RFC 9112 section 3.2): a path in visible ASCII without a
 * fragment, or `*`. Two parsers may read two paths in others, so that another path is authorized than the one that is
 * answered.
 */
export const isTarget = (target: string): boolean => PATH_AND_QUERY.test(target);

/** Splits a request target; an absent query costs nothing. */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const at = target.indexOf('?');
  if (at < 0) return { path: target, query: NO_QUERY };
  return { path: target.slice(0, at), query: new URLSearchParams(target.slice(at + 1)) };
}

const NO_QUERY = new URLSearchParams();
