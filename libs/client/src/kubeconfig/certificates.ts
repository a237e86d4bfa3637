import type { EntryReader } from './entry-reader.js';
import { parseKubeconfig } from './kubeconfig.js';

/** Certificates that a kubeconfig holds or names, PEM. */
export interface KubeconfigCertificates {
  /** Where they stand: the kubeconfig itself, or the file that it names. */
  readonly file: string;
  /** At least one certificate, unless it is broken. */
  readonly pem: string;
  /** Whether clients read them again while running, as they do the files of a user's certificate. */
  readonly isFollowed: boolean;
}

/**
 * Finds the certificates of every cluster and user of a kubeconfig, whichever its context is. What cannot be read is left out: whoever
 * connects by it says so. Throws {@link KubeconfigError} for a file that is none.
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
    // Told of by whoever needs the entry.
  }
  return found;
}
