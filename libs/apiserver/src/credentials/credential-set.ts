import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type CertificateTrust,
  certificatesOf,
  commonNamesOf,
  ensureProxyPki,
  ensureServingPki,
  FRONT_PROXY_NAME,
  fingerprintsOf,
  type ProxyPki,
  type ServingPki,
} from '@orch/authentication';
import { serviceNetworks } from '@orch/kinds';
import type { Names } from '@orch/machinery';
import type { ServingOptions } from '../server/options.js';

/** A certificate, those that signed it behind it, and its private key; PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** What a process shows and believes, as its files say at one time. */
export interface CredentialSet {
  /** Shown to clients. */
  readonly serving: Pair;
  /** Whose client certificates are looked at, PEM; as what they are believed says `trust`. */
  readonly clientCa: string;
  readonly trust: CertificateTrust;
  /** The authorities of callers, and those of front proxies, PEM; empty for none. */
  readonly authorities: { readonly clients: string; readonly proxies: string };
  /** Shown to gateways that requests are passed on to; undefined where there is none. */
  readonly proxy: Pair | undefined;
  /** Authorities of the serving certificates of the installation, PEM; undefined for those of the system. */
  readonly servingCa: string | undefined;
  /** Client certificate of an administrator; undefined where this process makes none. */
  readonly admin: Pair | undefined;
  /** PEM, by what they are for. */
  readonly certificates: Readonly<Record<string, string>>;
}

/** The options that name files of credentials that are read again when they change. */
export const credentialFiles = (options: ServingOptions): string[] =>
  [
    options.tlsCertFile,
    options.tlsPrivateKeyFile,
    options.tlsCaFile,
    ...options.clientCaFile,
    options.requestheaderClientCaFile,
    options.proxyClientCertFile,
    options.proxyClientKeyFile,
  ].filter((file) => file !== undefined);

/**
 * Reads the files that the options name, and makes or renews in `--cert-dir` what they do not: nothing is looked for there
 * when all are named. Throws when a file cannot be read, a key does not belong to its certificate, or an authority would
 * have callers believed as front proxies.
 */
export async function readCredentials(options: ServingOptions, names: Names): Promise<CredentialSet> {
  const given = await readGiven(options);
  const own = given.serving && options.kubeconfigOut === undefined ? undefined : await ownServing(options, names);
  const ownProxy = given.proxyCa === undefined ? await ensureProxyPki(options) : undefined;
  const serving = given.serving ?? (own as ServingPki).serving;
  const clientCas = [...(own ? [own.ca.cert] : []), ...given.clientCas];
  const proxyCa = given.proxyCa ?? (ownProxy as ProxyPki).proxyCa.cert;
  const trust = {
    clients: clientCas.length === 0 ? new Set<string>() : fingerprintsOf(...clientCas),
    proxies: fingerprintsOf(proxyCa),
    proxyNames: options.requestheaderAllowedNames,
  };
  refuseSharedAuthority(trust);
  const proxy = given.proxy ?? ownProxy?.proxy;
  const ownNames = [FRONT_PROXY_NAME, ...(proxy ? commonNamesOf(proxy.cert) : [])];
  const admin = options.kubeconfigOut === undefined ? undefined : own?.admin;
  return {
    serving,
    clientCa: [...clientCas, proxyCa].join('\n'),
    trust: { ...trust, ownNames },
    authorities: { clients: clientCas.join('\n'), proxies: proxyCa },
    proxy,
    servingCa: given.servingCa ?? (given.serving ? undefined : own?.ca.cert),
    admin,
    certificates: {
      serving: serving.cert,
      'proxy-ca': proxyCa,
      ...(own && { ca: own.ca.cert, admin: own.admin.cert }),
      ...(proxy && { proxy: proxy.cert }),
    },
  };
}

const ownServing = (options: ServingOptions, names: Names): Promise<ServingPki> =>
  ensureServingPki({
    certDir: options.certDir,
    bindAddress: options.bindAddress,
    names,
    serviceAddresses: serviceNetworks(options.serviceClusterIpRange).map(({ first }) => first),
    extraHosts: options.advertiseHost,
  });

async function readGiven(options: ServingOptions) {
  const bundle = (file: string | undefined) => (file === undefined ? undefined : readBundle(file));
  return {
    serving: await readPair('tls-cert-file', options.tlsCertFile, 'tls-private-key-file', options.tlsPrivateKeyFile),
    servingCa: await bundle(options.tlsCaFile),
    clientCas: await Promise.all(options.clientCaFile.map(readBundle)),
    proxyCa: await bundle(options.requestheaderClientCaFile),
    proxy: await readPair(
      ...(['proxy-client-cert-file', options.proxyClientCertFile] as const),
      ...(['proxy-client-key-file', options.proxyClientKeyFile] as const),
    ),
  };
}

async function readBundle(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  within(file, () => certificatesOf(text));
  return text;
}

async function readPair(
  certOption: string,
  certFile: string | undefined,
  keyOption: string,
  keyFile: string | undefined,
): Promise<Pair | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new Error(`--${certOption} and --${keyOption} need each other`);
  const [cert, key] = await Promise.all([readBundle(certFile), readFile(keyFile, 'utf8')]);
  const privateKey = within(keyFile, () => createPrivateKey(key));
  if (!certificatesOf(cert)[0].checkPrivateKey(privateKey))
    throw new Error(`${certFile} does not belong to ${keyFile}`);
  return { cert, key };
}

/** Names the file in what is wrong with it. */
function within<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Whoever has a certificate of an authority of both kinds might say to be anybody. */
function refuseSharedAuthority({ clients, proxies, proxyNames }: CertificateTrust): void {
  if (proxyNames.length > 0 || ![...proxies].some((authority) => clients.has(authority))) return;
  throw new Error(
    '--requestheader-client-ca-file has an authority of callers (--client-ca-file) in it: --requestheader-allowed-names is needed',
  );
}
