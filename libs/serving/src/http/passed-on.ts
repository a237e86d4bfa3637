import type { IncomingHttpHeaders } from 'node:http';
import { isIdentityHeader } from '@orch/authentication';

/**
 * Hop-by-hop headers, which are not forwarded (RFC 9110 section 7.6.1): no answer over HTTP/2 can begin with one (RFC
 * 9113 section 8.2.2).
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
]);

/** Headers of a request for this server alone: its host and the caller's credentials. */
export const OF_THE_CALL: readonly string[] = ['host', 'authorization', 'proxy-authorization', 'expect'];

/** The header by which browsers can send a token, and the beginning of a subprotocol that is one, in any naming. */
const SUBPROTOCOLS = 'sec-websocket-protocol';
const TOKEN = /^\s*base64url\.bearer\./i;

/**
 * Returns the headers to forward to another server, or back from it: no hop-by-hop ones, none about an identity, and no
 * subprotocol that is a token.
 */
export function passedOn(
  headers: IncomingHttpHeaders,
  except: ReadonlySet<string> = new Set(),
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  const ofConnection = namedBy(headers.connection);
  for (const [name, value] of Object.entries(headers)) {
    // The pseudo-headers of HTTP/2, which begin with a colon, are for its own connection.
    if (
      value !== undefined &&
      !name.startsWith(':') &&
      !HOP_BY_HOP.has(name) &&
      !ofConnection.has(name) &&
      !except.has(name) &&
      !isIdentityHeader(name)
    )
      kept[name] = value;
  }
  return withoutTokens(kept);
}

function withoutTokens(headers: Record<string, string | string[]>): Record<string, string | string[]> {
  const offered = [headers[SUBPROTOCOLS] ?? []].flat().flatMap((value) => value.split(','));
  if (!offered.some((protocol) => TOKEN.test(protocol))) return headers;
  const { [SUBPROTOCOLS]: _offered, ...others } = headers;
  const left = offered.filter((protocol) => !TOKEN.test(protocol)).map((protocol) => protocol.trim());
  return left.length > 0 ? { ...others, [SUBPROTOCOLS]: left.join(', ') } : others;
}

/** Header names that a `Connection` header declares to be hop-by-hop; never content-length, which delimits the body. */
function namedBy(connection = ''): ReadonlySet<string> {
  const names = new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  names.delete('content-length');
  return names;
}
