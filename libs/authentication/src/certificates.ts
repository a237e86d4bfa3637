import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  KeyObject,
  randomBytes,
  webcrypto,
  X509Certificate,
} from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { promisify } from 'node:util';
import type { X509Certificate as MadeCertificate } from '@peculiar/x509';
import { type X509Library, x509Library } from './x509-library.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
/** Algorithm of what P-256 keys sign. */
export const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Certificates become valid a little in the past, for machines whose clocks are behind. */
const BACKDATE_MS = 3_600_000;

/** Name of the holder of a certificate. */
export interface CertificateSubject {
  /** Common name, of a user or a server. */
  readonly commonName: string;
  /** Organizations, which are the groups of a user. */
  readonly organizations?: readonly string[];
}

/** Generates an ECDSA P-256 private key, PKCS #8 PEM. */
export async function generateKey(): Promise<string> {
  const { privateKey } = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  return KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * Generates an RSA private key of 2,048 bits, PKCS #1 PEM: every client can read that, while some read no elliptic
 * curves and some no PKCS #8.
 */
export async function generateClientKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

/** Creates a self-signed authority, PEM. `key` is its private key, PEM. */
export async function createAuthority(
  key: string,
  subject: CertificateSubject,
  days: number,
  now: number,
): Promise<string> {
  const x509 = await x509Library();
  const keys = await importKey(key);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(days, now),
    serialNumber: serialNumber(),
    name: distinguishedName(subject),
    signingAlgorithm: SIGNATURE,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pem(certificate);
}

/** A certificate and its key, such as those of an authority that signs certificates. */
export interface Issuer {
  /** The certificate, PEM. */
  readonly cert: string;
  /** Its private key, PEM. */
  readonly key: string;
}

/** Contents of a leaf certificate to be signed. */
export interface LeafRequest {
  /** Private key of the certificate's holder, PEM; of any type. */
  readonly key: string;
  readonly subject: CertificateSubject;
  readonly usage: 'server' | 'client';
  /** DNS names and IP addresses. */
  readonly hosts?: readonly string[];
  readonly days: number;
}

/** Issues a certificate signed by `issuer`, PEM. */
export async function issueCertificate(issuer: Issuer, request: LeafRequest, now: number): Promise<string> {
  const x509 = await x509Library();
  const authority = new x509.X509Certificate(issuer.cert);
  const publicKey = createPublicKey(request.key);
  const { privateKey: signingKey } = await importKey(issuer.key);
  const usage = request.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const hosts = (request.hosts ?? []).map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(request.days, now),
    serialNumber: serialNumber(),
    subject: distinguishedName(request.subject),
    issuer: authority.subjectName.toJSON(),
    signingAlgorithm: SIGNATURE,
    publicKey: new x509.PublicKey(publicKey.export({ type: 'spki', format: 'der' })),
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(keyUsage(x509, publicKey), true),
      new x509.ExtendedKeyUsageExtension([usage]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
      ...(hosts.length > 0 ? [new x509.SubjectAlternativeNameExtension(hosts)] : []),
    ],
  });
  return pem(certificate);
}

/** RSA can also encrypt: TLS before 1.3 may need that. */
const keyUsage = ({ KeyUsageFlags: flags }: X509Library, { asymmetricKeyType: type }: KeyObject): number =>
  type === 'rsa' ? flags.digitalSignature | flags.keyEncipherment : flags.digitalSignature;

/** Returns the DNS names and IP addresses that a certificate is for. */
export function hostsOf(cert: string): string[] {
  // Node separates names by commas, and escapes those within a name.
  const names = new X509Certificate(cert).subjectAltName?.split(', ') ?? [];
  return names.flatMap((name) => {
    if (name.startsWith(DNS)) return [unquoted(name.slice(DNS.length))];
    return name.startsWith(ADDRESS) ? [shortAddress(name.slice(ADDRESS.length))] : [];
  });
}

const DNS = 'DNS:';
const ADDRESS = 'IP Address:';

const unquoted = (name: string): string => (name.startsWith('"') ? String(JSON.parse(name)) : name);

const shortAddress = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;

/** Returns the common names of a certificate, PEM. */
export function commonNamesOf(cert: string): string[] {
  const { CN } = new X509Certificate(cert).toLegacyObject().subject;
  return CN === undefined ? [] : [CN].flat();
}

/** Imports both halves of a PEM private key. Throws when it is not an ECDSA P-256 key. */
export async function importKey(key: string): Promise<webcrypto.CryptoKeyPair> {
  const object = createPrivateKey(key);
  const pkcs8 = object.export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(object).export({ type: 'spki', format: 'der' });
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
  };
}

const validity = (days: number, now: number) => ({
  notBefore: new Date(now - BACKDATE_MS),
  notAfter: new Date(now + days * DAY_MS),
});

/** Returns the form of a subject that the library takes. */
export const distinguishedName = ({ commonName, organizations = [] }: CertificateSubject) => [
  ...organizations.map((organization) => ({ O: [organization] })),
  { CN: [commonName] },
];

/** Returns 127 random bits, positive and of full length. */
export function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** Returns PEM with a trailing line end. */
export const pem = (certificate: MadeCertificate): string => `${certificate.toString('pem')}\n`;
