import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { ApiListener } from '../http/api-listener.js';
import { http2StreamOf, leaveBody } from '../http/context.js';
import { isTooLate, letGo } from './http2-sessions.js';
import { type HeadRefusal, refusalBody, refusedHead } from './request-heads.js';

/** Limits on the connections of clients; each is an option of the service. */
export interface ConnectionLimits {
  /** Maximum size of the head of a request, bytes: its target, and names and values of its headers. */
  readonly maxHeadBytes: number;
  /** Maximum number of header fields of a request. */
  readonly maxHeadFields: number;
  /** Timeout for a TLS handshake, and for the head of a request, milliseconds. */
  readonly headMs: number;
  /** Milliseconds for a request with its body when that is not read; over HTTP/1.1. */
  readonly requestMs: number;
  /** Time after which a connection without requests is closed, milliseconds. */
  readonly idleMs: number;
  /** Maximum number of open connections on each port; 0 is no bound. */
  readonly maxConnections: number;
  /** Maximum number of TLS handshakes that begin in a round of the event loop; 0 is no bound. */
  readonly handshakesPerRound: number;
  /** Probability from 0 to 1 that a request is the last one its connection accepts. */
  readonly goawayChance: number;
}

/** Limits for which a connection is refused. */
export const CONNECTION_REFUSALS = ['head', 'head-time', 'connections'] as const;
/** A limit for which a connection is refused. */
export type ConnectionRefusal = (typeof CONNECTION_REFUSALS)[number];

/** Refusal of a request whose head exceeds the limits. */
export const HEAD_TOO_LARGE: HeadRefusal = {
  code: 431,
  line: 'Request Header Fields Too Large',
  message: 'the head of the request is too large',
  reason: '',
};

/**
 * Checks the heads of requests first, and makes some of them the last of their connection, so that clients do not stay
 * with one server for ever: over HTTP/2 by GOAWAY, over HTTP/1.1 by `Connection: close`.
 * @param random from 0 up to 1
 */
export function limited(
  listener: ApiListener,
  { maxHeadBytes, maxHeadFields, goawayChance }: ConnectionLimits,
  onRefused: (limit: ConnectionRefusal) => void,
  random: () => number = Math.random,
): ApiListener {
  return (req, res, upgrade) => {
    const stream = http2StreamOf({ res });
    if (stream && isTooLate(stream)) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    if (isTooLarge(req, !stream, maxHeadBytes, maxHeadFields)) {
      onRefused('head');
      return refuse(req, res, HEAD_TOO_LARGE);
    }
    const refusal = stream ? undefined : refusedHead(req);
    if (refusal) return refuse(req, res, refusal);
    if (goawayChance > 0 && random() < goawayChance) takeNoMore(res, stream);
    listener(req, res, upgrade);
  };
}

/** Node bounds the bytes of HTTP/1.1 only, and would silently drop fields beyond a number. */
function isTooLarge(req: IncomingMessage, hasTarget: boolean, maxBytes: number, maxFields: number): boolean {
  const { url = '', rawHeaders } = req;
  if (rawHeaders.length > 2 * maxFields) return true;
  // Over HTTP/2 the target is a field like others.
  let bytes = hasTarget ? url.length : 0;
  for (const part of rawHeaders) bytes += part.length;
  return bytes > maxBytes;
}

function refuse(req: IncomingMessage, res: ServerResponse, refusal: HeadRefusal): void {
  const body = refusalBody(refusal);
  leaveBody({ req, res });
  res.shouldKeepAlive = false;
  res.writeHead(refusal.code, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
}

/** Open streams continue to their end. */
function takeNoMore(res: ServerResponse, stream: ServerHttp2Stream | undefined): void {
  if (!stream) res.shouldKeepAlive = false;
  else if (stream.session) letGo(stream.session as ServerHttp2Session);
}
