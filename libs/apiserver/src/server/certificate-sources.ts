import { readFile } from 'node:fs/promises';
import { readPluginConfigurations } from '@orch/admission-host';
import { certificatesInKubeconfig } from '@orch/client';
import type { FileCertificates } from '@orch/credentials';
import { certificateFilesIn } from '@orch/storage';
import type { BackendOptions, ServingOptions } from './options.js';
import { parseOverrides } from './storage-overrides.js';

/** Certificates of a file that an option names. */
export interface NamedCertificates extends FileCertificates {
  /** Whether the file's users read it again while running; else its content at the start remains in use. */
  readonly isFollowed: boolean;
}

/** Reads the certificates of one file that an option names, in whatever form. */
export interface CertificateSource {
  /** Name of the option and the file; unique among sources. */
  readonly name: string;
  /** Reads the certificates. Rejects where the file cannot be read. */
  read(): Promise<readonly NamedCertificates[]>;
}

/**
 * Lists the options that name files with certificates, except those of a `CredentialSet`, which reports its own. A
 * certificate is followed here exactly where the users of its file read the file again.
 */
export const certificateSources = (
  serving: ServingOptions,
  backend: Pick<BackendOptions, 'natsCaFile' | 'natsCertFile' | 'postgresUrl' | 'postgresReadUrl' | 'storageOverride'>,
): readonly CertificateSource[] => [
  ...bundles('nats-ca-file', [backend.natsCaFile], true),
  ...bundles('nats-cert-file', [backend.natsCertFile], true),
  ...bundles('redis-ca-file', [serving.redisCaFile]),
  ...bundles('oidc-ca-file', [serving.oidcCaFile]),
  ...bundles('root-ca-file', [serving.rootCaFile]),
  ...bundles('kubelet-certificate-authority', [serving.kubeletCertificateAuthority]),
  ...bundles('kubelet-client-certificate', [serving.kubeletClientCertificate]),
  ...bundles('postgres-url', filesOf([backend.postgresUrl])),
  ...bundles('postgres-read-url', filesOf([backend.postgresReadUrl])),
  ...bundles('storage-override', filesOf(parseOverrides(backend.storageOverride).map(({ url }) => url))),
  ...kubeconfigs('authentication-token-webhook-config-file', [serving.authenticationTokenWebhookConfigFile], true),
  ...kubeconfigs('authorization-webhook-config-file', [serving.authorizationWebhookConfigFile]),
  ...kubeconfigs('audit-webhook-config-file', [serving.auditWebhookConfigFile]),
  ...ofPlugins('admission-control-config-file', serving.admissionControlConfigFile),
];

type Named = readonly (string | undefined)[];

const filesOf = (urls: Named): string[] => urls.flatMap((url) => (url === undefined ? [] : certificateFilesIn(url)));

const given = (files: Named): string[] => files.filter((file) => file !== undefined);

/** A source for each file, so that one which cannot be read hides no other. */
const sourcesOf = (
  option: string,
  files: Named,
  read: (file: string) => Promise<readonly NamedCertificates[]>,
): CertificateSource[] =>
  [...new Set(given(files))].map((file) => ({ name: `${option} ${file}`, read: () => read(file) }));

const bundles = (option: string, files: Named, isFollowed = false): CertificateSource[] =>
  sourcesOf(option, files, async (file) => [
    { certificate: option, file, isFollowed, pem: await readFile(file, 'utf8') },
  ]);

const kubeconfigs = (option: string, files: Named, isFollowed = false): CertificateSource[] =>
  sourcesOf(option, files, (file) => inKubeconfig(option, file, isFollowed));

async function inKubeconfig(option: string, file: string, isFollowed: boolean): Promise<NamedCertificates[]> {
  const found = await certificatesInKubeconfig(file);
  return found.map((each) => ({ ...each, certificate: option, isFollowed: isFollowed || each.isFollowed }));
}

const ofPlugins = (option: string, file: string | undefined): CertificateSource[] =>
  sourcesOf(option, [file], async () => {
    const configurations = await readPluginConfigurations(file, () => true);
    const sources = kubeconfigs(option, [...configurations.values()].flatMap(kubeconfigsIn));
    return (await Promise.all(sources.map(({ read }) => read().catch(() => [])))).flat();
  });

/** Returns every `kubeConfigFile` that the configurations of plugins name, at any depth. */
function kubeconfigsIn(configuration: unknown): string[] {
  if (typeof configuration !== 'object' || configuration === null) return [];
  return Object.entries(configuration).flatMap(([name, value]) =>
    name === 'kubeConfigFile' && typeof value === 'string' ? [value] : kubeconfigsIn(value),
  );
}
