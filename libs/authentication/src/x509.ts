import { constants, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { type DetailedPeerCertificate, type Server, TLSSocket } from 'node:tls';
import { authorityOf, type CertificateTrust } from './trust.js';
import { type Authentication, authenticated } from './user.js';

/** Result of checking a connection's client certificate. */
type CertificateVerdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'user';
      readonly authentication: Authentication;
      readonly expiresAt: number;
      /** SHA-256 fingerprint of the authority that the chain leads to; undefined when it is not trusted any more. */
      readonly authority: string | undefined;
    };

/**
 * Options with which a server requests certificates for {@link certificateVerdict}. A connection keeps its certificate:
 * the result of its first handshake (`authorized`) would not be computed again at a second one.
 */
export const CLIENT_CERTIFICATE_OPTIONS = {
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

const NONE: CertificateVerdict = { kind: 'none' };

/**
 * Returns the verdict on a connection, computed once per trust and cached with its socket.
 *
 * The server must be made with {@link CLIENT_CERTIFICATE_OPTIONS}, with nothing but the bundle of all authorities as `ca`,
 * and be given to {@link keepChains}: `authorized` then means that the chain leads there and the certificate is meant
 * for clients. The common name is the user, each organization a group; no common name is no user (spec: "Client
 * certificate").
 */
export function certificateVerdict(socket: Socket, trust: CertificateTrust): CertificateVerdict {
  const known = verdicts.get(socket);
  if (known?.trust === trust) return known.verdict;
  const verdict = judge(socket, trust);
  verdicts.set(socket, { trust, verdict });
  return verdict;
}

const verdicts = new WeakMap<Socket, { readonly trust: CertificateTrust; readonly verdict: CertificateVerdict }>();

/** Releases that drop intermediate certificates of clients (https://github.com/nodejs/node/issues/65579). */
const DROPS_CHAINS = /^(24\.21|26\.[89])\./.test(process.versions.node);

/** Makes the chains of client certificates available on every release of Node. Call it before the server listens. */
export function keepChains(server: Server): void {
  if (!DROPS_CHAINS) return;
  const known = new WeakSet<TLSSocket>();
  // The only event of a handshake with its socket. The chain is available when the handshake is done, and dropped by
  // the first listener to that.
  server.on('keylog', (_secret, socket) => {
    if (known.has(socket)) return;
    known.add(socket);
    socket.prependOnceListener('secure', () => {
      const whole = socket.getPeerCertificate(true);
      socket.getPeerCertificate = () => whole;
    });
  });
}

function judge(socket: Socket, trust: CertificateTrust): CertificateVerdict {
  if (!(socket instanceof TLSSocket)) return NONE;
  const certificate = socket.getPeerCertificate(true);
  // Typed as always present; it is an empty object when none was sent, null when the socket is gone.
  if (!certificate?.raw) return NONE;
  if (!socket.authorized)
    return { kind: 'refused', reason: `client certificate: ${String(socket.authorizationError)}` };
  const name = values(certificate.subject.CN).at(-1);
  if (!name) return NONE;
  const groups = [...new Set(values(certificate.subject.O))];
  const expiresAt = Date.parse(certificate.valid_to);
  const authority = authorityBehind(certificate, trust);
  const known = authenticated({ name, groups, extra: {} }, 'x509', expiresAt);
  const authentication = authority === undefined ? known : { ...known, authority };
  return { kind: 'user', authentication, expiresAt, authority };
}

function authorityBehind(certificate: DetailedPeerCertificate, trust: CertificateTrust): string | undefined {
  const { fingerprint256: leaf } = certificate;
  const chain = chainOf(certificate);
  const authority = authorityOf(trust, chain);
  // A resumed session has only the certificates of its chain that are authorities: no intermediates.
  if (authority === undefined) return longChains.get(leaf);
  if (chain.length > 2) remember(leaf, authority);
  return authority;
}

/** Returns the certificate and those that were sent beside it, as far as their names make a chain. */
function chainOf(certificate: DetailedPeerCertificate): X509Certificate[] {
  const chain = [new X509Certificate(certificate.raw)];
  for (let link = certificate; link.issuerCertificate && link.issuerCertificate !== link; ) {
    link = link.issuerCertificate;
    chain.push(new X509Certificate(link.raw));
  }
  return chain;
}

/** Authorities of certificates with intermediates, for resumed sessions. */
const longChains = new Map<string, string>();
const MAX_LONG_CHAINS = 10_000;

function remember(leaf: string, authority: string): void {
  longChains.delete(leaf);
  longChains.set(leaf, authority);
  const [oldest] = longChains.keys();
  if (longChains.size > MAX_LONG_CHAINS && oldest !== undefined) longChains.delete(oldest);
}

/** A name part that occurs several times is an array, which its type does not say. */
const values = (part: string | readonly string[] | undefined): readonly string[] =>
  part === undefined ? [] : typeof part === 'string' ? [part] : part;
