import {
  authoritiesOf,
  type CertificateTrust,
  commonNamesOf,
  ensureProxyPki,
  ensureServingPki,
  ensureSigningAuthority,
  FRONT_PROXY_NAME,
  type ProxyPki,
  type ServingPki,
} from '@orch/authentication';
import { serviceNetworks } from '@orch/kinds';
import type { Names } from '@orch/machinery';
import type { Pair } from '@orch/serving';
import type { FileCertificates } from './certificate-ends.js';
import type { CredentialOptions } from './credential-options.js';
import { readBundle, readPair } from './pair.js';
import { readSigning, type SigningSet, signingFiles } from './signing-set.js';
import { type NamedPair, readSniPairs, sniFiles } from './sni-pairs.js';

/** The certificates that a process presents and the authorities that it trusts, as read from its files at one time. */
export interface CredentialSet {
  /** Certificate for clients, unless they ask for a name in `named`. */
  readonly serving: Pair;
  /** Certificates for clients that ask for one of their names (server name indication). */
  readonly named: readonly NamedPair[];
  /**
   * Authorities that TLS verifies client certificates against, PEM. What such a certificate proves depends on `trust`.
   */
  readonly clientCa: string;
  /** Authorities that callers and front proxies are authenticated by. */
  readonly trust: CertificateTrust;
  /**
   * Authorities of clients, and of authenticating proxies, PEM; empty for none. `proxyNames`: common names that
   * aggregated servers accept from proxies, this process among them; any when empty.
   */
  readonly authorities: { readonly clients: string; readonly proxies: string; readonly proxyNames: readonly string[] };
  /** Client certificate for gateways that watches are forwarded to; undefined for none. */
  readonly gatewayClient: Pair | undefined;
  /** Client certificate for aggregated servers and webhooks; undefined for none. */
  readonly proxy: Pair | undefined;
  /**
   * Client certificate for the agents of nodes, undefined for none, and authorities of their certificates, PEM,
   * undefined where these are not verified.
   */
  readonly agents: { readonly client: Pair | undefined; readonly ca: string | undefined };
  /** Authorities of the serving certificates of the installation, PEM; undefined for the system's. */
  readonly servingCa: string | undefined;
  /** Client certificate of an administrator; undefined where this process makes none. */
  readonly admin: Pair | undefined;
  /** Keys that CertificateSigningRequests are signed with. */
  readonly signing: SigningSet;
  /** All certificates of these files, for the metric of their expiry. */
  readonly certificates: readonly FileCertificates[];
}

/** The options that name files of credentials that are read again when they change. */
export const credentialFiles = (options: CredentialOptions): string[] =>
  [
    options.tlsCertFile,
    options.tlsPrivateKeyFile,
    options.tlsCaFile,
    ...sniFiles(options.tlsSniCertKey),
    ...options.clientCaFile,
    options.requestheaderClientCaFile,
    options.proxyClientCertFile,
    options.proxyClientKeyFile,
    options.gatewayClientCertFile,
    options.gatewayClientKeyFile,
    options.kubeletClientCertificate,
    options.kubeletClientKey,
    options.kubeletCertificateAuthority,
    ...signingFiles(options),
  ].filter((file) => file !== undefined);

/**
 * Reads the files that the options name, and makes or renews the others in `--cert-dir`, which is not accessed when all
 * are named. Throws when a file cannot be read, a key does not belong to its certificate, or an authority of client
 * certificates would also make its clients front proxies.
 * @param takesHandedWatches whether api-servers hand watches to this process
 */
export async function readCredentials(
  options: CredentialOptions,
  names: Names,
  takesHandedWatches = false,
): Promise<CredentialSet> {
  const given = await readGiven(options);
  const own = given.serving && options.kubeconfigOut === undefined ? undefined : await ownServing(options, names);
  const ownProxy = given.proxyCa === undefined ? await ensureProxyPki(options) : undefined;
  const serving = given.serving ?? (own as ServingPki).serving;
  const signing = await readSigning(options, async () => own && ensureSigningAuthority(options));
  const clientCas = [...new Set([...(own ? [own.ca.cert] : []), ...given.clientCas, ...signing.believed])];
  const proxyCa = given.proxyCa ?? (ownProxy as ProxyPki).proxyCa.cert;
  const trust = {
    clients: clientCas.length === 0 ? new Map() : authoritiesOf(...clientCas),
    proxies: authoritiesOf(proxyCa),
    proxyNames: options.requestheaderAllowedNames,
    takesHandedWatches,
  };
  refuseSharedAuthority(trust);
  const proxy = given.proxy ?? ownProxy?.aggregator;
  const gatewayClient = given.gatewayClient ?? ownProxy?.gatewayClient ?? given.proxy;
  const proxyOwnNames = proxy ? commonNamesOf(proxy.cert) : [];
  const admin = options.kubeconfigOut === undefined ? undefined : own?.admin;
  return {
    serving,
    ...{ named: given.named, agents: { ...given.agents, client: given.agents.client ?? own?.kubeletClient } },
    clientCa: [...clientCas, proxyCa].join('\n'),
    trust: { ...trust, ownNames: [FRONT_PROXY_NAME, ...proxyOwnNames] },
    authorities: {
      clients: clientCas.join('\n'),
      proxies: proxyCa,
      proxyNames: trust.proxyNames.length === 0 ? [] : [...new Set([...trust.proxyNames, ...proxyOwnNames])],
    },
    gatewayClient,
    proxy,
    servingCa: given.servingCa ?? (given.serving ? undefined : own?.ca.cert),
    admin,
    signing,
    certificates: [
      ...givenCertificates(options, given),
      ...madeCertificates(own, ownProxy, given),
      ...signing.certificates,
    ],
  };
}

type Given = Awaited<ReturnType<typeof readGiven>>;

/** Returns the certificates in files that options name. */
function givenCertificates(options: CredentialOptions, given: Given): FileCertificates[] {
  const of = (certificate: string, file: string | undefined, pem: string | undefined): FileCertificates[] =>
    file === undefined || pem === undefined ? [] : [{ certificate, file, pem }];
  return [
    ...of('serving', options.tlsCertFile, given.serving?.cert),
    ...given.named.flatMap(({ certFile, cert }, at) => of(`serving-sni-${at}`, certFile, cert)),
    ...of('serving-ca', options.tlsCaFile, given.servingCa),
    ...options.clientCaFile.flatMap((file, at) => of('client-ca', file, given.clientCas[at])),
    ...of('proxy-ca', options.requestheaderClientCaFile, given.proxyCa),
    ...of('proxy', options.proxyClientCertFile, given.proxy?.cert),
    ...of('gateway-client', options.gatewayClientCertFile, given.gatewayClient?.cert),
    ...of('agent-client', options.kubeletClientCertificate, given.agents.client?.cert),
    ...of('agent-ca', options.kubeletCertificateAuthority, given.agents.ca),
  ];
}

/** Returns the certificates of `--cert-dir` that are in use. */
function madeCertificates(
  own: ServingPki | undefined,
  ownProxy: ProxyPki | undefined,
  given: Given,
): FileCertificates[] {
  const made = {
    ...(own && { ca: own.ca, admin: own.admin, ...(!given.serving && { serving: own.serving }) }),
    ...(own && !given.agents.client && { 'agent-client': own.kubeletClient }),
    ...(ownProxy && { 'proxy-ca': ownProxy.proxyCa, 'front-proxy': ownProxy.proxy }),
    ...(ownProxy && !given.proxy && { proxy: ownProxy.aggregator }),
    ...(ownProxy && !given.gatewayClient && { 'gateway-client': ownProxy.gatewayClient }),
  };
  return Object.entries(made).map(([certificate, { certFile, cert }]) => ({ certificate, file: certFile, pem: cert }));
}

const ownServing = (options: CredentialOptions, names: Names): Promise<ServingPki> =>
  ensureServingPki({
    certDir: options.certDir,
    bindAddress: options.bindAddress,
    names,
    serviceAddresses: serviceNetworks(options.serviceClusterIpRange).map(({ first }) => first),
    extraHosts: options.advertiseHost,
  });

async function readGiven(options: CredentialOptions) {
  const bundle = (file: string | undefined) => (file === undefined ? undefined : readBundle(file));
  return {
    serving: await readPair('tls-cert-file', options.tlsCertFile, 'tls-private-key-file', options.tlsPrivateKeyFile),
    named: await readSniPairs(options.tlsSniCertKey),
    servingCa: await bundle(options.tlsCaFile),
    clientCas: await Promise.all(options.clientCaFile.map(readBundle)),
    proxyCa: await bundle(options.requestheaderClientCaFile),
    proxy: await readPair(
      ...(['proxy-client-cert-file', options.proxyClientCertFile] as const),
      ...(['proxy-client-key-file', options.proxyClientKeyFile] as const),
    ),
    gatewayClient: await readPair(
      ...(['gateway-client-cert-file', options.gatewayClientCertFile] as const),
      ...(['gateway-client-key-file', options.gatewayClientKeyFile] as const),
    ),
    agents: {
      client: await readPair(
        ...(['kubelet-client-certificate', options.kubeletClientCertificate] as const),
        ...(['kubelet-client-key', options.kubeletClientKey] as const),
      ),
      ca: await bundle(options.kubeletCertificateAuthority),
    },
  };
}

/**
 * Refuses an authority of both client and proxy certificates: a client with such a certificate could impersonate any
 * user.
 */
function refuseSharedAuthority({ clients, proxies, proxyNames }: CertificateTrust): void {
  if (proxyNames.length > 0 || ![...proxies.keys()].some((authority) => clients.has(authority))) return;
  throw new Error(
    '--requestheader-client-ca-file has an authority of callers (--client-ca-file) in it: --requestheader-allowed-names is needed',
  );
}
