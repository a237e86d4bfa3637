import type { EntryReader } from './entry-reader.js';
import { parseKubeconfig } from './kubeconfig.js';

/** Certificates in a kubeconfig or in files that it names, PEM. */
export interface KubeconfigCertificates {
  /** File that contains them: the kubeconfig itself, or one that it names. */
  readonly file: string;
  /** At least one certificate, unless it is broken. */
  readonly pem: string;
  /** Whether clients read them again while running, as they do with the files of a user's certificate. */
  readonly isFollowed: boolean;
}

/**
 * Finds the certificates of every cluster and user of a kubeconfig, whichever its context is. Unreadable ones are left
 * out: connecting with them reports the error. Throws {@link KubeconfigError} for an invalid file.
 */
export async function certificatesInKubeconfig(file: string): Promise<KubeconfigCertificates[]> {
  const { clusters, users } = await parseKubeconfig(file);
  const found = await Promise.all([
    ...[...clusters.values()].map((entry) => certificatesIn(entry, 'certificate-authority', false)),
    ...[...users.values()].map((entry) => certificatesIn(entry, 'client-certificate', true)),
  ]);
  return found.flat();
}

async function certificatesIn(entry: EntryReader, member: string, isFollowed: boolean) {
  const found: KubeconfigCertificates[] = [];
  try {
    const [data, path] = [entry.data(member), entry.path(member)];
    if (data !== undefined) found.push({ file: entry.file, pem: data, isFollowed: false });
    const pem = await entry.fileText(member);
    if (path !== undefined && pem !== undefined) found.push({ file: path, pem, isFollowed });
  } catch {
    // Reported when the entry is used.
  }
  return found;
}
