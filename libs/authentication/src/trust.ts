import { X509Certificate } from 'node:crypto';
import type { Authentication } from './user.js';

/** Whose client certificates are believed, and as what. */
export interface CertificateTrust {
  /** SHA-256 fingerprints of the authorities of callers. */
  readonly clients: ReadonlySet<string>;
  /** Of the authorities of servers that pass requests on and say for whom (spec: "Authenticating proxy"). */
  readonly proxies: ReadonlySet<string>;
  /** Common names that such a server's certificate may have; any when empty (`--requestheader-allowed-names`). */
  readonly proxyNames: readonly string[];
  /** Common names of those among them that are servers of this installation. Default: the one that its own certificates have. */
  readonly ownNames?: readonly string[];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The certificates of a PEM bundle, in their order. Throws when one cannot be read, or there is none. */
export function certificatesOf(bundle: string): [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = (bundle.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem));
  if (!first) throw new Error('there is no certificate in it');
  return [first, ...others];
}

/** SHA-256 fingerprints of the certificates of PEM bundles. Throws as {@link certificatesOf} does. */
export const fingerprintsOf = (...bundles: readonly string[]): ReadonlySet<string> =>
  new Set(bundles.flatMap((bundle) => certificatesOf(bundle).map(({ fingerprint256 }) => fingerprint256)));

/** As what a certificate of an authority is believed; undefined when it is not. */
export function roleOf(
  { clients, proxies, proxyNames }: CertificateTrust,
  authority: string | undefined,
  commonName: string,
): 'client' | 'proxy' | undefined {
  if (authority === undefined) return undefined;
  if (proxies.has(authority) && (proxyNames.length === 0 || proxyNames.includes(commonName))) return 'proxy';
  return clients.has(authority) ? 'client' : undefined;
}

/** Whether what a caller was let in by is believed still. Only client certificates have an authority that can be dropped. */
export function isTrusted(trust: CertificateTrust, { method, authority }: Authentication): boolean {
  if (method === 'x509') return authority !== undefined && trust.clients.has(authority);
  return method !== 'proxy' || (authority !== undefined && trust.proxies.has(authority));
}
