import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Names, StatusError } from '@orch/machinery';
import { offeredProtocols } from '@orch/streaming';
import { hostOf } from '../http/context.js';

/** Whether a request asks to switch to a WebSocket (RFC 6455 section 4.1). */
export const wantsWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Moves a token from the subprotocols, where browsers can send one, to the `Authorization` header for authentication;
 * the response does not name it. The subprotocol is `base64url.bearer.authorization.<domain>.<token>`, the token in
 * base64url without padding, and must be accompanied by another one.
 * @throws StatusError 401 for several tokens, for a malformed one, and for one alone
 */
export function takeProtocolToken(req: IncomingMessage, names: Names): void {
  const { headers } = req;
  const offered = offeredProtocols(req);
  const prefix = `base64url.bearer.${names.group('authorization.orch.io')}.`;
  const [token, ...more] = offered.filter((protocol) => protocol.startsWith(prefix));
  if (token === undefined) return;
  const others = offered.filter((protocol) => !protocol.startsWith(prefix));
  const encoded = token.slice(prefix.length);
  if (more.length > 0 || others.length === 0 || !/^[\w-]+$/.test(encoded)) throw unauthorized();
  headers['sec-websocket-protocol'] = others.join(', ');
  headers.authorization ??= `Bearer ${Buffer.from(encoded, 'base64url').toString('utf8')}`;
}

const unauthorized = () => new StatusError('Unauthorized', 'Unauthorized');

/**
 * How browsers begin their `User-Agent`. Other clients send an `Origin` too, as Go's WebSockets. A page cannot change it but
 * in requests that the browser asks about beforehand (CORS), which is refused.
 */
const BROWSER = /^mozilla\//i;

/** Browsers of other names say from which site a request comes (Fetch Metadata), which no page can change; other clients do not. */
const isBrowser = ({ 'user-agent': agent = '', 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  site !== undefined || BROWSER.test(agent);

/**
 * Refuses requests of pages of other origins. A browser sends a client certificate with any page's request, and lets
 * every page open WebSockets and post forms anywhere. Tokens are known only to those who were given them.
 * @throws StatusError 403
 */
export function checkOrigin(req: IncomingMessage): void {
  const { origin } = req.headers;
  if (origin === undefined || !isBrowser(req.headers)) return;
  const from = URL.canParse(origin) ? new URL(origin).host : undefined;
  if (from === undefined || from !== hostOf(req)?.toLowerCase()) {
    throw new StatusError('Forbidden', 'pages of another origin may not use a client certificate');
  }
}
