import { connectionMessage } from '@orch/client';

/** Reasons of the system for a connection that could not be made, in the words of the reference. */
const SYSTEM: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

/** Errors of a certificate that no known authority has signed. */
const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Errors of a certificate that is of a known authority, and not valid here or now. */
const INVALID: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'INVALID_PURPOSE',
]);

/** Whether a connection failed because the certificate of the other side could not be verified. */
export function isUnverified(error: unknown): boolean {
  const { code = '' } = (error instanceof AggregateError ? error.errors[0] : error) as { readonly code?: string };
  return UNKNOWN_AUTHORITY.has(code) || INVALID.has(code);
}

/** Returns why a connection failed, in the words of the reference where it has some. */
export function dialMessage(error: unknown): string {
  // Of a name with several addresses: each of them was tried.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return connectionMessage(first);
  const { code = '', address, port, hostname } = first as NodeJS.ErrnoException & Place;
  const reason = SYSTEM[code];
  if (reason && address !== undefined && port !== undefined)
    return `dial tcp ${address.includes(':') ? `[${address}]` : address}:${port}: ${reason}`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`;
  if (UNKNOWN_AUTHORITY.has(code))
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  // The other side has closed the connection, without an answer.
  if (code === 'ECONNRESET') return 'EOF';
  return connectionMessage(first);
}

/** Place that a connection was to go to, as errors of Node say it. */
interface Place {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}
