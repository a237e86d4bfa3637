import { createSecureContext, type PeerCertificate, type SecureContext } from 'node:tls';
import { requireNamedHost } from './server-identity.js';

/** Certificates that one side of a connection trusts, and the one that it presents. */
export interface TlsMaterial {
  /**
   * Bundle of certificates in PEM that are trusted themselves, each as an anchor: a root, an intermediate, or the
   * peer's own certificate. Default: the roots that Node ships.
   */
  readonly ca?: string | Buffer | undefined;
  /** Certificate that is presented to the peer, PEM. */
  readonly cert?: string | Buffer | undefined;
  /** Private key of {@link cert}, PEM; both or neither. */
  readonly key?: string | Buffer | undefined;
}

/** Options of Node's TLS that say which certificates are trusted. */
export interface TrustOptions {
  /** The bundle; undefined for the roots that Node ships. */
  readonly ca?: string | Buffer;
  /** Lets a chain end at any certificate of the bundle. Only set beside a bundle. */
  readonly allowPartialTrustChain?: true;
}

/** Options of `tls.connect`, and of functions that pass their options on to it. */
export interface PeerOptions {
  /** Trusted and presented certificates. Made on first use, once for all connections. */
  readonly secureContext: SecureContext;
  /** Compares the host's name with those of its certificate. */
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/** The option of Node's TLS that lets a chain end at any certificate of a bundle. Only to be set beside a bundle. */
export const PARTIAL_CHAINS = { allowPartialTrustChain: true } as const;

const CERTIFICATE = '-----BEGIN CERTIFICATE-----';

/**
 * Trusts each certificate of a bundle as an anchor, as crypto/x509 of Go does, for callers that make their own
 * contexts. OpenSSL alone accepts an intermediate, or a certificate that another has signed, only together with its
 * root.
 * @param ca PEM; undefined for the roots that Node ships
 * @throws Error for a bundle without a certificate, for which Node would trust the roots that it ships, or none
 */
export function trustOptions(ca: string | Buffer | undefined): TrustOptions {
  if (ca === undefined) return {};
  if (!ca.includes(CERTIFICATE))
    throw new Error('unable to load root certificates: no certificate in PEM in the bundle');
  return { ca, ...PARTIAL_CHAINS };
}

/**
 * Returns the options with which clients verify a server and present their certificate. The error for a bundle or a key
 * that cannot be read is thrown when `secureContext` is first read, and each time anew.
 */
export function peerOptions({ ca, cert, key }: TlsMaterial): PeerOptions {
  let made: SecureContext | undefined;
  return {
    get secureContext() {
      made ??= createSecureContext({
        ...trustOptions(ca),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      });
      return made;
    },
    checkServerIdentity: requireNamedHost,
  };
}
