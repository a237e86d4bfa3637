import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { StatusError } from '@orch/machinery';
import { identityFrom } from './request-header.js';
import type { TokenVerifier } from './token-file.js';
import { ANONYMOUS, type Authentication } from './user.js';
import { certificateVerdict } from './x509.js';

/** What authentication looks at; a `http.IncomingMessage` is one. */
export interface AuthenticationRequest {
  readonly socket: Socket;
  readonly headers: IncomingHttpHeaders;
}

export interface Authenticator {
  /** Settles the caller, anonymous included. Throws a `StatusError` 401 whose `cause` says why, for the log only. */
  authenticate(request: AuthenticationRequest): Promise<Authentication>;
}

export interface AuthenticatorSettings {
  /** Accept client certificates; see {@link certificateVerdict} for what the TLS server must be set to. */
  readonly clientCertificates: boolean;
  /**
   * Whose certificates are those of servers that pass requests on and say for whom, never of callers
   * (spec: "Authenticating proxy"). Its authority signs nothing else.
   */
  readonly frontProxy?: { readonly authority: string };
  /** Asked in order; the first that knows the token decides. */
  readonly tokenVerifiers: readonly TokenVerifier[];
  /** Whether callers without credentials are let in as `system:anonymous` (`--anonymous-auth`). */
  readonly anonymous: boolean;
  /** Hears of each caller who is let in for a client certificate: milliseconds until it expires. */
  readonly certificateAccepted?: (left: number) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * Joins the methods (spec: "Authentication, General rules"): the first that succeeds decides. A credential that was
 * presented and is not good is a 401 even when anonymous access is on.
 */
export function createAuthenticator(settings: AuthenticatorSettings): Authenticator {
  const { clientCertificates, frontProxy, tokenVerifiers, anonymous, now = Date.now } = settings;
  return {
    async authenticate({ socket, headers }) {
      let refusal: string | undefined;
      if (clientCertificates) {
        const verdict = certificateVerdict(socket);
        if (verdict.kind === 'user') {
          const live = now() <= verdict.expiresAt;
          const proxied = frontProxy?.authority === verdict.authority;
          const authentication = proxied ? identityFrom(headers) : verdict.authentication;
          if (live && !proxied) settings.certificateAccepted?.(verdict.expiresAt - now());
          if (live && authentication) return authentication;
          refusal = live
            ? 'a front proxy named nobody to speak for'
            : 'client certificate: expired since the connection was opened';
        } else if (verdict.kind === 'refused') refusal = verdict.reason;
      }
      const token = bearerToken(headers.authorization);
      if (token !== undefined) {
        for (const verifier of tokenVerifiers) {
          const known = await verifier.verify(token);
          if (known) return known;
        }
        refusal ??= 'invalid bearer token';
      }
      if (refusal === undefined && anonymous) return ANONYMOUS;
      throw unauthorized(refusal ?? 'no credentials');
    },
  };
}

/** The token of an `Authorization: Bearer` header; undefined for other schemes and for no token. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [scheme, token] = header.trim().split(' ', 2);
  return scheme?.toLowerCase() === 'bearer' && token ? token : undefined;
}

function unauthorized(reason: string): StatusError {
  const error = new StatusError('Unauthorized', 'Unauthorized');
  error.cause = new Error(reason);
  return error;
}
