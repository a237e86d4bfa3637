import { createPrivateKey } from 'node:crypto';
import { checkAuthority } from '@orch/authentication';
import type { SignerId } from '@orch/kinds';
import type { Pair } from '@orch/serving';
import type { FileCertificates } from './certificate-ends.js';
import type { CredentialOptions } from './credential-options.js';
import { readBundle, readPair, within } from './pair.js';

/** Authorities that sign certificate requests. */
export interface SigningSet {
  /** Certificate and key of the authority of each signer. */
  readonly signers: ReadonlyMap<SignerId, Pair>;
  /** Authorities whose client certificates are trusted, PEM. */
  readonly believed: readonly string[];
  /** Certificates of the trusted authorities and of the signers; one that all signers share appears once. */
  readonly certificates: readonly FileCertificates[];
}

/** An authority that options name; without its key it signs nothing here. */
interface Given {
  readonly cert: string;
  /** The file that it stands in. */
  readonly file: string;
  readonly pair: Pair | undefined;
}

/** A pair of `--cert-dir`. */
type MadePair = Pair & { readonly certFile: string };

/** Signers of certificates that are shown to servers of the API by clients. */
const CLIENTS: readonly SignerId[] = ['kube-apiserver-client', 'kubelet-client'];

/** The files that a signer's options name. */
interface SignerFiles {
  readonly id: SignerId;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

const filesOf = (options: CredentialOptions): SignerFiles[] => [
  {
    id: 'kube-apiserver-client',
    certFile: options.clusterSigningKubeApiserverClientCertFile,
    keyFile: options.clusterSigningKubeApiserverClientKeyFile,
  },
  {
    id: 'kubelet-client',
    certFile: options.clusterSigningKubeletClientCertFile,
    keyFile: options.clusterSigningKubeletClientKeyFile,
  },
  {
    id: 'kubelet-serving',
    certFile: options.clusterSigningKubeletServingCertFile,
    keyFile: options.clusterSigningKubeletServingKeyFile,
  },
  {
    id: 'legacy-unknown',
    certFile: options.clusterSigningLegacyUnknownCertFile,
    keyFile: options.clusterSigningLegacyUnknownKeyFile,
  },
];

/** The files that the options name, which are read again when they change. */
export const signingFiles = (options: CredentialOptions): (string | undefined)[] => [
  options.clusterSigningCertFile,
  options.clusterSigningKeyFile,
  ...filesOf(options).flatMap(({ certFile, keyFile }) => [certFile, keyFile]),
];

/**
 * Reads the files that the options name.
 * @param make makes the authority of signers that have no file
 * @throws Error when files cannot be read, do not belong together, or hold no certificate of an authority
 */
export async function readSigning(
  options: CredentialOptions,
  make: () => Promise<MadePair | undefined>,
): Promise<SigningSet> {
  const { clusterSigningCertFile: certFile, clusterSigningKeyFile: keyFile } = options;
  const own = filesOf(options).filter((files) => files.certFile !== undefined || files.keyFile !== undefined);
  const isCommon = certFile !== undefined || keyFile !== undefined;
  if (isCommon && own.length > 0)
    throw new Error(
      'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    );
  const given = new Map<SignerId, Given>();
  for (const { id, certFile, keyFile } of own)
    given.set(id, await readGiven(`cluster-signing-${id}`, certFile, keyFile));
  if (own.length === 0) {
    const common = isCommon ? await readGiven('cluster-signing', certFile, keyFile) : await made(make);
    if (common) for (const { id } of filesOf(options)) given.set(id, common);
  }
  return setOf(given);
}

function setOf(given: ReadonlyMap<SignerId, Given>): SigningSet {
  const signers = new Map<SignerId, Pair>();
  for (const [id, { pair }] of given) if (pair) signers.set(id, pair);
  const believed = CLIENTS.map((id) => given.get(id)?.cert).filter((cert) => cert !== undefined);
  return { signers, believed: [...new Set(believed)], certificates: certificatesIn(given) };
}

function certificatesIn(given: ReadonlyMap<SignerId, Given>): FileCertificates[] {
  const isCommon = new Set([...given.values()].map(({ file }) => file)).size === 1;
  const all = [...given].map(([id, { file, cert }]) => ({
    certificate: isCommon ? 'cluster-signing' : `cluster-signing-${id}`,
    ...{ file, pem: cert },
  }));
  return isCommon ? all.slice(0, 1) : all;
}

async function made(make: () => Promise<MadePair | undefined>): Promise<Given | undefined> {
  const pair = await make();
  return pair && { cert: pair.cert, file: pair.certFile, pair };
}

async function readGiven(prefix: string, certFile: string | undefined, keyFile: string | undefined): Promise<Given> {
  if (certFile !== undefined && keyFile === undefined)
    return { cert: await readBundle(certFile), file: certFile, pair: undefined };
  const pair = await readPair(`${prefix}-cert-file`, certFile, `${prefix}-key-file`, keyFile);
  if (!pair || certFile === undefined) throw new Error(`--${prefix}-cert-file does not name a file`);
  within(certFile, () => checkAuthority(pair.cert, createPrivateKey(pair.key)));
  return { cert: pair.cert, file: certFile, pair };
}
