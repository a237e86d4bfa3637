import { X509Certificate } from 'node:crypto';
import { AGGREGATOR_NAME, GATEWAY_CLIENT_NAME } from './request-header.js';
import type { Authentication } from './user.js';

/** Trusted certificates by their SHA-256 fingerprints. */
export type Authorities = ReadonlyMap<string, X509Certificate>;

/** Authorities of client certificates, and the roles of their holders. */
export interface CertificateTrust {
  /** The authorities of callers: roots, intermediates, or certificates of callers themselves. */
  readonly clients: Authorities;
  /** Authorities of proxies that send their callers' identity (spec: "Authenticating proxy"). */
  readonly proxies: Authorities;
  /**
   * Allowed common names of a front proxy's certificate (`--requestheader-allowed-names`). When empty any, except for
   * those of the installation's own certificates that are for another direction ({@link GATEWAY_CLIENT_NAME},
   * {@link AGGREGATOR_NAME}).
   */
  readonly proxyNames: readonly string[];
  /**
   * Whether api-servers proxy watches to this server, with certificates named {@link GATEWAY_CLIENT_NAME}. Default
   * false.
   */
  readonly takesHandedWatches?: boolean;
  /** Common names of those among them that are servers of this installation. Default: that of its own certificates. */
  readonly ownNames?: readonly string[];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Returns the certificates of a PEM bundle, in their order. Throws when one is unreadable, or there is none. */
export function certificatesOf(bundle: string): [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = (bundle.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem));
  if (!first) throw new Error('it contains no certificate');
  return [first, ...others];
}

/** Returns the readable certificates of a PEM bundle, in their order. */
export const readableCertificatesOf = (bundle: string): X509Certificate[] =>
  (bundle.match(CERTIFICATE) ?? []).flatMap((pem) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      return [];
    }
  });

/** Returns the certificates of PEM bundles as authorities. Throws as {@link certificatesOf} does. */
export const authoritiesOf = (...bundles: readonly string[]): Authorities =>
  new Map(bundles.flatMap((bundle) => certificatesOf(bundle).map((each) => [each.fingerprint256, each] as const)));

/** Maximum number of certificates of a chain that are checked. */
const LONGEST_CHAIN = 16;

/**
 * Finds the authority that a verified chain leads to: the nearest one, by signatures. Names are not enough: two
 * authorities may have one name, and the peer chooses which certificates it sends beside its own. The nearest is used
 * when one authority has signed another, so that the callers of an intermediate are never front proxies of its root.
 * @param chain the certificate of the caller, and those that came with it in any order
 */
export function authorityOf(
  { clients, proxies }: Pick<CertificateTrust, 'clients' | 'proxies'>,
  [leaf, ...sent]: readonly X509Certificate[],
): string | undefined {
  const anchors = [...clients.values(), ...proxies.values()];
  const between = new Set(sent.slice(0, LONGEST_CHAIN));
  for (let link = leaf; link !== undefined; ) {
    const { fingerprint256: itself } = link;
    if (clients.has(itself) || proxies.has(itself)) return itself;
    const signs = signerOf(link);
    const anchor = anchors.find(signs);
    if (anchor) return anchor.fingerprint256;
    link = [...between].find((issuer) => mayIssue(issuer) && signs(issuer));
    if (link) between.delete(link);
  }
  return undefined;
}

const signerOf = (certificate: X509Certificate) => (issuer: X509Certificate) =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

/** Whether a certificate is a currently valid authority, as in the chain that TLS has verified. */
function mayIssue({ ca, validFrom, validTo }: X509Certificate): boolean {
  const now = Date.now();
  return ca && Date.parse(validFrom) <= now && now < Date.parse(validTo);
}

/** Role of a certificate's holder: a caller, a front proxy, or an api-server that proxies watches. */
export type CertificateRole = 'client' | 'proxy' | 'hands-watches-on';

/** Returns the role of a certificate of an authority; undefined when it is not accepted. */
export function roleOf(
  trust: CertificateTrust,
  authority: string | undefined,
  commonName: string,
): CertificateRole | undefined {
  if (authority === undefined) return undefined;
  const role = trust.proxies.has(authority) ? proxyRole(trust, commonName) : undefined;
  return role ?? (trust.clients.has(authority) ? 'client' : undefined);
}

function proxyRole({ proxyNames, takesHandedWatches }: CertificateTrust, commonName: string) {
  if (proxyNames.includes(commonName)) return 'proxy';
  if (commonName === GATEWAY_CLIENT_NAME) return takesHandedWatches ? 'hands-watches-on' : undefined;
  return proxyNames.length === 0 && commonName !== AGGREGATOR_NAME ? 'proxy' : undefined;
}

/**
 * Whether the authority of a caller's credential is still trusted. Only client certificates have an authority that can
 * be removed.
 */
export function isTrusted(trust: CertificateTrust, { method, authority }: Authentication): boolean {
  if (method === 'x509') return authority !== undefined && trust.clients.has(authority);
  return method !== 'proxy' || (authority !== undefined && trust.proxies.has(authority));
}
