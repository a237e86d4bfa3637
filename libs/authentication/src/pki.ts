import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Names } from '@orch/machinery';
import {
  createAuthority,
  generateClientKey,
  generateKey,
  hostsOf,
  type Issuer,
  issueCertificate,
  type LeafRequest,
} from './certificates.js';
import { AGGREGATOR_NAME, FRONT_PROXY_NAME, GATEWAY_CLIENT_NAME } from './request-header.js';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
/** Group that may do everything. */
const ADMINISTRATORS = 'system:masters';
/** A certificate with less than this left is replaced. */
const RENEW_DAYS = 30;

/** Folder of the certificates, and names that the server is certified for. */
export interface PkiSettings {
  /** `--cert-dir`; created with mode 0700 if missing. */
  readonly certDir: string;
  /** Address that the server listens on; for `0.0.0.0` and `::` all addresses of the machine are included. */
  readonly bindAddress: string;
  /** The naming profile's name of the API's Service, by which pods reach the server. */
  readonly names: Pick<Names, 'apiServiceName'>;
  /** Addresses of that Service. */
  readonly serviceAddresses?: readonly string[];
  /** Further DNS names and IP addresses of the serving certificate: load balancers, public names. */
  readonly extraHosts?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** A certificate and its private key, as PEM text and as files. */
export interface KeyPair {
  /** PEM, one certificate. */
  readonly cert: string;
  /** PEM, the private key of `cert`. */
  readonly key: string;
  /** Path of the file that holds `cert`, mode 0644. */
  readonly certFile: string;
  /** Path of the file that holds `key`, mode 0600. */
  readonly keyFile: string;
}

/** Certificates of a server, and of its administrator. */
export interface ServingPki {
  /** The authority that signs the two below; its certificate is the client CA when no other is given. */
  readonly ca: KeyPair;
  /** Server certificate for every name and address of the server. */
  readonly serving: KeyPair;
  /** Client certificate of user `admin` in `system:masters`, with an RSA key (PKCS #1) unless there was one before. */
  readonly admin: KeyPair;
  /** Client certificate for the agents of nodes, in `system:masters`, as kubeadm makes it. */
  readonly kubeletClient: KeyPair;
}

/** Certificates of proxies that send their callers' identity, each for one direction. */
export interface ProxyPki {
  /** Authority of the certificates below only, so that no certificate of a caller can be taken for one of them. */
  readonly proxyCa: KeyPair;
  /** Client certificate of load balancers that send their callers' identity. */
  readonly proxy: KeyPair;
  /** Client certificate with which api-servers proxy watches to gateways. */
  readonly gatewayClient: KeyPair;
  /** Client certificate for requests that are proxied to the servers of other group-versions. */
  readonly aggregator: KeyPair;
}

/** Ensures the authority of certificates that are requested through the API. */
export const ensureSigningAuthority = async (settings: Pick<PkiSettings, 'certDir' | 'now'>): Promise<KeyPair> =>
  ensureAuthority(settings.certDir, 'cluster-signing-ca', await begin(settings));

/** Certificates of a server with clients and peers. */
export type Pki = ServingPki & ProxyPki;

/**
 * Creates missing files in the certificate directory, renews certificates that are about to expire or do not fit, and
 * returns all of them.
 *
 * Several processes may do this at once. A private key, once there, is never replaced: it appears whole under its name
 * by a hard link that fails if another process was first. Certificates are replaced by rename, and whichever process
 * was last, its certificate fits the one key. So no reader ever sees a key and a certificate that do not belong
 * together.
 *
 * Throws when the authority has expired, or when a file cannot be read as a certificate, or an authority's key is no
 * P-256 one.
 */
export const ensurePki = async (settings: PkiSettings): Promise<Pki> => ({
  ...(await ensureServingPki(settings)),
  ...(await ensureProxyPki(settings)),
});

/** The part of {@link ensurePki} for clients. */
export async function ensureServingPki(settings: PkiSettings): Promise<ServingPki> {
  const { certDir, names } = settings;
  const now = await begin(settings);
  const ca = await ensureAuthority(certDir, 'ca', now);
  const serving = await ensureLeaf(certDir, 'apiserver', ca, now, {
    subject: { commonName: names.apiServiceName },
    usage: 'server',
    hosts: servingHosts(settings),
    days: LEAF_DAYS,
  });
  const admin = await ensureLeaf(certDir, 'admin', ca, now, {
    subject: { commonName: 'admin', organizations: [ADMINISTRATORS] },
    usage: 'client',
    days: LEAF_DAYS,
    makeKey: generateClientKey,
  });
  const kubeletClient = await ensureLeaf(certDir, 'apiserver-kubelet-client', ca, now, {
    subject: { commonName: 'apiserver-kubelet-client', organizations: [ADMINISTRATORS] },
    usage: 'client',
    days: LEAF_DAYS,
  });
  return { ca, serving, admin, kubeletClient };
}

/** The part of {@link ensurePki} that authenticates proxied requests. */
export async function ensureProxyPki(settings: Pick<PkiSettings, 'certDir' | 'now'>): Promise<ProxyPki> {
  const now = await begin(settings);
  const proxyCa = await ensureAuthority(settings.certDir, 'front-proxy-ca', now);
  const ensure = (file: string, commonName: string) =>
    ensureLeaf(settings.certDir, file, proxyCa, now, { subject: { commonName }, usage: 'client', days: LEAF_DAYS });
  return {
    proxyCa,
    proxy: await ensure('front-proxy', FRONT_PROXY_NAME),
    gatewayClient: await ensure('gateway-client', GATEWAY_CLIENT_NAME),
    aggregator: await ensure('aggregator', AGGREGATOR_NAME),
  };
}

/** Ensures the key in `certDir` that signs tokens of service accounts: RSA, which every library supports. */
export async function ensureTokenKey(
  settings: Pick<PkiSettings, 'certDir'>,
): Promise<Pick<KeyPair, 'key' | 'keyFile'>> {
  await begin(settings);
  const keyFile = join(settings.certDir, 'service-account.key');
  return { key: await ensureKey(keyFile, generateClientKey), keyFile };
}

/** Returns milliseconds since the epoch, after creating the folder. */
async function begin({ certDir, now = Date.now }: Pick<PkiSettings, 'certDir' | 'now'>): Promise<number> {
  await mkdir(certDir, { recursive: true, mode: 0o700 });
  return now();
}

async function ensureAuthority(dir: string, name: string, now: number): Promise<KeyPair> {
  const { certFile, keyFile } = paths(dir, name);
  const key = await ensureKey(keyFile);
  let cert = await readIfPresent(certFile);
  if (cert === undefined) {
    const subject = { commonName: `ca-${randomUUID().slice(0, 8)}` };
    cert = await createExclusively(certFile, await createAuthority(key, subject, AUTHORITY_DAYS, now), 0o644);
  }
  const certificate = new X509Certificate(cert);
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error(`${certFile} does not match ${keyFile}`);
  if (remaining(certificate, now) <= 0) throw new Error(`${certFile}: the certificate authority has expired`);
  return { cert, key, certFile, keyFile };
}

interface LeafProfile extends Omit<LeafRequest, 'key'> {
  /** Default: an elliptic curve key. */
  readonly makeKey?: () => Promise<string>;
}

async function ensureLeaf(dir: string, name: string, ca: Issuer, now: number, profile: LeafProfile): Promise<KeyPair> {
  const { certFile, keyFile } = paths(dir, name);
  const key = await ensureKey(keyFile, profile.makeKey);
  const present = await readIfPresent(certFile);
  if (present !== undefined && isFit(present, key, ca, now, profile.hosts ?? [])) {
    return { cert: present, key, certFile, keyFile };
  }
  // Hosts of the previous certificate are kept, so that processes that share the directory do not renew it in turns.
  const hosts = [...new Set([...(profile.hosts ?? []), ...(present === undefined ? [] : hostsOf(present))])];
  const cert = await issueCertificate(ca, { ...profile, hosts, key }, now);
  await replace(certFile, cert, 0o644);
  return { cert, key, certFile, keyFile };
}

function isFit(cert: string, key: string, ca: Issuer, now: number, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  const certified = new Set(hostsOf(cert));
  return (
    certificate.checkPrivateKey(createPrivateKey(key)) &&
    certificate.verify(new X509Certificate(ca.cert).publicKey) &&
    remaining(certificate, now) > RENEW_DAYS * DAY_MS &&
    hosts.every((host) => (isIP(host) ? certificate.checkIP(host) !== undefined : certified.has(host)))
  );
}

const remaining = (certificate: X509Certificate, now: number): number => Date.parse(certificate.validTo) - now;

/**
 * Returns all names and addresses by which clients on this machine, on its network and in pods may reach the server.
 */
function servingHosts({ bindAddress, names, serviceAddresses = [], extraHosts = [] }: PkiSettings): string[] {
  const service = names.apiServiceName;
  const everywhere = bindAddress === '0.0.0.0' || bindAddress === '::';
  const addresses = everywhere ? machineAddresses() : [bindAddress];
  return [
    ...new Set([
      'localhost',
      hostname(),
      ...['', '.default', '.default.svc', '.default.svc.cluster.local'].map((suffix) => service + suffix),
      ...['127.0.0.1', '::1', ...serviceAddresses],
      ...addresses,
      ...extraHosts,
    ]),
  ];
}

/** Returns addresses of all interfaces; link-local ones are left out, as they are useless without a zone. */
const machineAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((interfaces) => interfaces ?? [])
    .map(({ address }) => address)
    .filter((address) => !address.toLowerCase().startsWith('fe80:'));

const paths = (dir: string, name: string) => ({
  certFile: join(dir, `${name}.crt`),
  keyFile: join(dir, `${name}.key`),
});

const ensureKey = async (file: string, make = generateKey): Promise<string> =>
  (await readIfPresent(file)) ?? (await createExclusively(file, await make(), 0o600));

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Writes `text` to `file` unless that exists; returns its content afterwards. */
async function createExclusively(file: string, text: string, mode: number): Promise<string> {
  const temporary = await writeTemporary(file, text, mode);
  try {
    await link(temporary, file);
    return text;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return await readFile(file, 'utf8');
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function replace(file: string, text: string, mode: number): Promise<void> {
  await rename(await writeTemporary(file, text, mode), file);
}

async function writeTemporary(file: string, text: string, mode: number): Promise<string> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  const handle = await open(temporary, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

const isErrno = (error: unknown, code: string): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === code;
