import { type ClientRequest, type IncomingMessage, validateHeaderValue } from 'node:http';
import { type Agent, request } from 'node:https';
import type { UserInfo } from '@orch/authentication';
import { connectionMessage } from '@orch/client';
import {
  type AnswerHead,
  exchange,
  forwardedFor,
  forwardedOf,
  hasUnmeasuredBody,
  joinConnections,
  requireClient,
} from '@orch/connections';
import { StatusError } from '@orch/machinery';
import {
  type HandedStream,
  isGone,
  joinWebSockets,
  leaveBody,
  OF_THE_CALL,
  OutgoingConnections,
  passedOn,
  passOn,
  passWatchOn,
  REQUEST_ID_HEADER,
  type RequestContext,
  readBefore,
} from '@orch/serving';

/** Address and connections of the server behind an aggregated group-version. */
export interface Extension {
  /** Host name or IP address. */
  readonly host: string;
  /** TCP port that it serves HTTPS on. */
  readonly port: number;
  /** Name that its certificate must be valid for; sent as server name indication and `Host`. */
  readonly serverName: string;
  /** Pool of its connections, with the trusted authorities and the client certificate. */
  readonly agent: Agent;
}

/** Options of forwarding a request; everything has a default. */
interface Forwarding {
  /** Milliseconds within which the response head must arrive. Default: bounded by the deadline of the request alone. */
  readonly limitMs?: number;
  /** Pseudonym of this process in the `Via` header (RFC 9110 section 7.6.3). Default: no header is added. */
  readonly via?: string;
  /** Detects connections whose peer has vanished. Default: the kernel does, with keep-alive probes. */
  readonly connections?: OutgoingConnections;
  /**
   * Milliseconds for the client of a connection that has switched to another protocol to read what is left once the other
   * server has ended it; 0 is no bound. Default: as for watches.
   */
  readonly unreadMs?: number;
}

interface Asking extends Forwarding {
  /** That of the request where it was read here; undefined where it is passed on as it comes. */
  readonly body: Buffer | undefined;
}

/** Headers that are replaced, or removed where this server has no value for them. */
const FORWARDED = ['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-uri'];
const NOT_ASKED_WITH: ReadonlySet<string> = new Set([...OF_THE_CALL, ...FORWARDED]);
/** Request headers that are left out of an upgrade: it has no body. */
const NOT_UPGRADED_WITH: ReadonlySet<string> = new Set([...NOT_ASKED_WITH, 'content-length']);

/** Builds a 503 error without `Retry-After`: clients would retry ten times for a server that few of them need. */
export const serviceUnavailable = (message: string): StatusError => new StatusError('ServiceUnavailable', message);

const CONNECT_MS = 5_000;
/** Bytes of the head of an answer. */
const MAX_ANSWER_HEAD = 512 << 10;

/** Default detection of vanished peers: by the kernel. */
const BY_THE_KERNEL = new OutgoingConnections();

/**
 * Forwards a request to another server and streams its response back. The user is named in the headers of an
 * authenticating proxy, which that server trusts because of the client certificate.
 * @returns the stream that goes on, if the response is a watch or switches protocols
 * @throws StatusError 503 when the server cannot be reached; for a body that was read here already, what `readBody`
 * throws
 */
export async function forward(
  ctx: RequestContext,
  extension: Extension,
  forwarding: Forwarding = {},
): Promise<HandedStream | undefined> {
  // It came while the group-version was served here.
  const body = await readBefore(ctx);
  let answer: AnswerHead;
  try {
    answer = await ask(ctx, extension, { ...forwarding, body });
  } catch (error) {
    if (isGone(ctx)) return undefined;
    throw serviceUnavailable(`error trying to reach service: ${connectionMessage(error)}`);
  }
  const { message, switched } = answer;
  const isWatch = ctx.info.verb === 'watch';
  keepOwn(ctx, message);
  if (switched && ctx.upgrade) {
    if (isWatch) return joinWebSockets(ctx, ctx.upgrade, message, switched);
    return joinConnections(ctx, ctx.upgrade, message, switched, forwarding.unreadMs);
  }
  // The rest of a body that was refused before its end is not read.
  leaveBody(ctx);
  if (isRedirect(message)) return refuseRedirect(ctx, message);
  if (isWatch) return passWatchOn(ctx, message);
  return void passOn(ctx, message);
}

/** Response headers that only this server sets: it authenticates the caller, and asks for credentials. */
const OWN_HEADERS = /^(?:audit-id$|www-authenticate$|x-kubernetes-pf-|access-control-|proxy-)/;

/** Removes headers about the request itself: only this server sets them, the other one answers for its resources. */
function keepOwn({ res, requestId }: RequestContext, { statusCode, headers }: IncomingMessage): void {
  for (const name of Object.keys(headers)) if (OWN_HEADERS.test(name)) delete headers[name];
  // It has no body that could be measured (RFC 9110 section 8.6).
  if (statusCode === 204) delete headers['content-length'];
  res.setHeader('Audit-Id', requestId);
}

const isRedirect = ({ statusCode = 0, headers }: IncomingMessage): boolean =>
  statusCode >= 300 && statusCode < 400 && headers.location !== undefined;

/** Answers a redirect as kube-aggregator does: the client would send its credentials to its target (CVE-2022-3172). */
function refuseRedirect({ res }: RequestContext, answer: IncomingMessage): undefined {
  answer.destroy();
  res.writeHead(502, { 'Content-Type': 'text/plain; charset=utf-8' });
  res.end('the backend attempted to redirect this request, which is not permitted');
  return undefined;
}

/**
 * Builds the headers that name a user to an aggregated server (`X-Remote-User` and others). Each group, and each value
 * of a key, has a header of its own; characters beyond ASCII are sent as UTF-8.
 * @throws Error for what no header can hold, such as a line break
 */
export function remoteIdentity({ name, uid, groups, extra }: UserInfo): Record<string, string[]> {
  const headers: Record<string, string[]> = { 'X-Remote-User': [name], 'X-Remote-Group': [...groups] };
  if (uid) headers['X-Remote-Uid'] = [uid];
  const names = new Map<string, string>();
  for (const [key, values] of Object.entries(extra)) {
    // Keys that differ in capitals alone are one header, which has the values of all of them.
    const header = `X-Remote-Extra-${nameOf(key)}`;
    const name = names.get(header.toLowerCase()) ?? header;
    names.set(header.toLowerCase(), name);
    headers[name] = [...(headers[name] ?? []), ...values];
  }
  for (const [header, values] of Object.entries(headers)) {
    headers[header] = values.map((value) => {
      const bytes = Buffer.from(value).toString('latin1');
      validateHeaderValue(header, bytes);
      return bytes;
    });
  }
  return headers;
}

/** A key as a part of a header's name: all but the characters of names is escaped, as is the sign that escapes. */
const nameOf = (key: string): string =>
  Buffer.from(key)
    .toString('latin1')
    .replace(
      /[^A-Za-z0-9!#$&'*+.^_`|~-]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );

/** Sends the request, and a second time if it is safe and a kept connection turned out to be closed. */
async function ask(ctx: RequestContext, extension: Extension, forwarding: Asking): Promise<AnswerHead> {
  try {
    return await askOnce(ctx, extension, forwarding);
  } catch (error) {
    if (!(error instanceof LostConnectionError) || !isBodiless(ctx) || isGone(ctx)) throw error;
    return askOnce(ctx, extension, forwarding);
  }
}

class LostConnectionError extends Error {
  override readonly name = 'LostConnectionError';
}

const isBodiless = (ctx: RequestContext): boolean =>
  (ctx.req.method === 'GET' || ctx.req.method === 'HEAD') &&
  ctx.req.headers['content-length'] === undefined &&
  !hasUnmeasuredBody(ctx);

async function askOnce(ctx: RequestContext, extension: Extension, forwarding: Asking): Promise<AnswerHead> {
  const { limitMs, via, connections = BY_THE_KERNEL, body } = forwarding;
  const { host, port, serverName, agent } = extension;
  const { req, upgrade } = ctx;
  requireClient(ctx);
  const upstream: ClientRequest = request({
    host,
    port,
    servername: serverName,
    agent,
    method: req.method,
    // The path exactly as it was authorized: one rebuilt from a URL might name another resource.
    path: req.url ?? '/',
    headers: headersOf(ctx, serverName, via),
    maxHeaderSize: MAX_ANSWER_HEAD,
  });
  try {
    const sent = body ?? (upgrade ? undefined : 'piped');
    return await exchange(ctx, upstream, { connections, connectMs: CONNECT_MS, limitMs, body: sent });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isLost = upstream.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
    throw isLost ? new LostConnectionError(message) : error;
  }
}

function headersOf({ req, res, user, requestId, trail, upgrade }: RequestContext, serverName: string, via?: string) {
  return {
    ...passedOn(req.headers, upgrade ? NOT_UPGRADED_WITH : NOT_ASKED_WITH),
    ...remoteIdentity(user),
    host: serverName,
    [REQUEST_ID_HEADER]: requestId,
    'x-forwarded-for': forwardedFor(req),
    ...forwardedOf(req),
    ...(via && { via: [...[req.headers.via ?? []].flat(), `1.1 ${via}`].join(', ') }),
    ...(trail?.span && { traceparent: trail.span.traceparent }),
    ...(upgrade && { Connection: 'Upgrade', Upgrade: req.headers.upgrade ?? 'websocket' }),
    // Node does not frame bodies of methods that seldom have one: the bytes would be parsed as the next request.
    ...(!upgrade && hasUnmeasuredBody({ req, res }) && { 'transfer-encoding': 'chunked' }),
  };
}
