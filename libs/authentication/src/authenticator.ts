import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { StatusError } from '@orch/machinery';
import {
  FRONT_PROXY_NAME,
  identityFrom,
  isForwarded,
  isRequestHeader,
  plainIdentity,
  type RequestHeaderNames,
  requestHeaderNames,
} from './request-header.js';
import { commonAudiences, type TokenVerifier } from './token-verifier.js';
import { type CertificateRole, type CertificateTrust, roleOf } from './trust.js';
import { ANONYMOUS, type Authentication } from './user.js';
import { certificateVerdict } from './x509.js';

/** The parts of a request that authentication uses; a `http.IncomingMessage` is one. */
export interface AuthenticationRequest {
  /** The connection; a `TLSSocket` for client certificates. */
  readonly socket: Socket;
  /**
   * Headers as Node gives them: names in lower case. Only `Authorization` is read, and identity headers of a front
   * proxy.
   */
  readonly headers: IncomingHttpHeaders;
  /**
   * Names and values in turn, as they came; without them only the installation's own front proxies can speak for
   * others.
   */
  readonly rawHeaders?: readonly string[];
}

/** Authenticates requests by every method that the server is configured with. */
export interface Authenticator {
  /**
   * Authenticates the caller, anonymous included.
   * @param audiences of which a token must be for one; default: the API's own
   * @throws StatusError 401 whose `cause` is the reason, for the log only
   */
  authenticate(request: AuthenticationRequest, audiences?: readonly string[]): Promise<Authentication>;
  /**
   * Whether a front proxy sends a caller's identity in a header of this name (in lower case): other layers must not see
   * it.
   */
  isRequestHeader?(name: string): boolean;
}

/** The methods, in the order they are tried: front proxy, client certificate, token, anonymous. */
export interface AuthenticatorSettings {
  /**
   * Returns the current authorities of client certificates; if absent, certificates are ignored. It is called for every
   * request, so that a removed authority is removed for open connections too. See {@link certificateVerdict} for how
   * the TLS server must be configured.
   */
  readonly trust?: () => CertificateTrust;
  /**
   * Headers in which front proxies send the identity of callers. Default: `X-Remote-User`, `X-Remote-Group` and
   * `X-Remote-Extra-`.
   */
  readonly requestHeaders?: RequestHeaderNames;
  /** Called in order; the first that knows the token decides. A failure of one does not prevent the others. */
  readonly tokenVerifiers: readonly TokenVerifier[];
  /** Whether callers without credentials are accepted as `system:anonymous` (`--anonymous-auth`). */
  readonly anonymous: boolean;
  /** Called for each caller authenticated by a client certificate: milliseconds until it expires. */
  readonly certificateAccepted?: (left: number) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * Joins the methods (spec: "Authentication, General rules"): the first that succeeds decides, even after others have
 * refused their credentials. If credentials were presented and none is valid, the answer is 401 even when anonymous
 * access is on (as pkg/kubeapiserver/authenticator/config.go of k8s.io/kubernetes joins them).
 */
export function createAuthenticator(settings: AuthenticatorSettings): Authenticator {
  const { tokenVerifiers, anonymous, requestHeaders = STANDARD_HEADERS } = settings;
  return {
    isRequestHeader: (name) => isRequestHeader(requestHeaders, name),
    async authenticate(request, audiences) {
      const { headers } = request;
      const presented = byCertificate(settings, request);
      if (typeof presented === 'object') return presented;
      const token = bearerToken(headers.authorization);
      const found = token === undefined ? undefined : await byToken(tokenVerifiers, token, audiences);
      if (typeof found === 'object') return found;
      const refusals = [presented, found].filter((refusal) => refusal !== undefined);
      if (refusals.length === 0 && anonymous) return ANONYMOUS;
      throw unauthorized(refusals.length > 0 ? joined(refusals) : 'no credentials');
    },
  };
}

/** Returns the user of a token, or why it is refused. */
async function byToken(
  verifiers: readonly TokenVerifier[],
  token: string,
  audiences: readonly string[] | undefined,
): Promise<Authentication | string> {
  const failures: string[] = [];
  for (const verifier of verifiers) {
    try {
      const known = await verifier.verify(token, audiences);
      if (known && isFor(known, audiences)) return known;
      if (known) failures.push('the token is for other audiences');
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  return failures.length > 0 ? joined(failures) : 'invalid bearer token';
}

const isFor = ({ audiences: given }: Authentication, wanted: readonly string[] | undefined): boolean =>
  !wanted?.length || !given?.length || commonAudiences(wanted, given).length > 0;

/** Returns a single reason as it is, several as a list without duplicates. */
function joined(reasons: readonly string[]): string {
  const all = [...new Set(reasons)];
  return all.length === 1 ? String(all[0]) : `[${all.join(', ')}]`;
}

const STANDARD_HEADERS = requestHeaderNames(['X-Remote-User'], ['X-Remote-Group'], ['X-Remote-Extra-']);

/** Returns the user of a client certificate, or why it is refused; undefined when there is none. */
function byCertificate(
  settings: AuthenticatorSettings,
  request: AuthenticationRequest,
): Authentication | string | undefined {
  const { trust: trustNow, certificateAccepted, now = Date.now } = settings;
  if (!trustNow) return undefined;
  const trust = trustNow();
  const verdict = certificateVerdict(request.socket, trust);
  if (verdict.kind === 'none') return undefined;
  if (verdict.kind === 'refused') return verdict.reason;
  const at = now();
  if (at >= verdict.expiresAt) return 'client certificate: expired since the connection was opened';
  const { authority } = verdict;
  const role = roleOf(trust, authority, verdict.authentication.user.name);
  if (role === undefined || authority === undefined) return refusalOf(trust, authority);
  const spokenFor = spokenForBy(role, trust, verdict.authentication, request, settings);
  if (typeof spokenFor === 'string') return spokenFor;
  if (spokenFor)
    return at >= (spokenFor.expiresAt ?? Number.POSITIVE_INFINITY)
      ? 'what a front proxy spoke for has expired'
      : { ...spokenFor, authority };
  // A front proxy that names no user is an ordinary caller, if its authority is one of callers too.
  if (!trust.clients.has(authority)) return 'a front proxy named nobody to speak for';
  certificateAccepted?.(verdict.expiresAt - at);
  return verdict.authentication;
}

const refusalOf = ({ proxies }: CertificateTrust, authority: string | undefined): string =>
  authority !== undefined && proxies.has(authority)
    ? 'client certificate: its name is not that of a front proxy that is believed here'
    : 'client certificate: its authority is not believed any more';

/** Returns the user that the holder of a certificate speaks for, or why that is refused; undefined for none. */
function spokenForBy(
  role: CertificateRole,
  trust: CertificateTrust,
  proxy: Authentication,
  request: AuthenticationRequest,
  settings: AuthenticatorSettings,
): Authentication | string | undefined {
  if (role === 'client') return undefined;
  if (role === 'proxy') return whomFor(trust, proxy, request, settings);
  const caller = identityFrom(request.headers);
  return caller && { ...caller, onlyFor: 'watch' };
}

/** Returns the user that a front proxy speaks for, or why that is refused; undefined for none. */
function whomFor(
  { ownNames = [FRONT_PROXY_NAME] }: CertificateTrust,
  { user: proxy }: Authentication,
  { headers, rawHeaders = [] }: AuthenticationRequest,
  { requestHeaders = STANDARD_HEADERS }: AuthenticatorSettings,
): Authentication | string | undefined {
  if (!isForwarded(headers)) return plainIdentity(rawHeaders, requestHeaders);
  // Headers that another proxy forwards from its clients must not be taken for those of a server of the installation.
  return ownNames.includes(proxy.name)
    ? identityFrom(headers)
    : 'a front proxy writes as a server of this installation, which by its certificate it is not';
}

/** The token of an `Authorization: Bearer` header; undefined for other schemes and for no token. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [scheme, token] = withoutBlanks(header).split(' ', 2);
  return scheme?.toLowerCase() === 'bearer' && token ? token : undefined;
}

/** Trims blanks only; other white space, such as a no-break space, may be part of a token. */
function withoutBlanks(header: string): string {
  let [start, end] = [0, header.length];
  while (isBlank(header.charCodeAt(start))) start++;
  while (end > start && isBlank(header.charCodeAt(end - 1))) end--;
  return header.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

function unauthorized(reason: string): StatusError {
  const error = new StatusError('Unauthorized', 'Unauthorized');
  error.cause = new Error(reason);
  return error;
}
