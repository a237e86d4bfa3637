import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import type { Connection, ServerPlace } from '../connection.js';

/** Long values stay on one line. */
const LINES = { lineWidth: 0 };

/**
 * Returns the text of a kubeconfig with one cluster, user and context, all called `name`, and everything inline except
 * what the connection has in files; plugins and impersonation are left out.
 */
export function kubeconfigText(connection: Connection, name = 'default'): string {
  const { namespace } = connection;
  const [cluster, user] = [clusterEntry(connection), userEntry(connection)];
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster }],
      users: [{ name, user }],
      contexts: [{ name, context: { cluster: name, user: name, ...(namespace !== undefined && { namespace }) } }],
      'current-context': name,
    },
    LINES,
  );
}

/** Writes {@link kubeconfigText} to a file, which appears whole, readable by its owner alone (0600). */
export async function writeKubeconfig(file: string, connection: Connection, name?: string): Promise<void> {
  const text = kubeconfigText(connection, name);
  const temporary = `${file}.${randomUUID()}.tmp`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Returns the text of the kubeconfig in a ConfigMap `cluster-info`: a cluster without a name, no user and no context, as
 * kubeadm writes and reads it.
 */
export const clusterInfoText = (place: ServerPlace): string =>
  stringify({ apiVersion: 'v1', kind: 'Config', clusters: [{ name: '', cluster: clusterEntry(place) }] }, LINES);

function clusterEntry({ server, ca, ...place }: ServerPlace) {
  return {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': base64(ca) }),
    ...(place.tlsServerName !== undefined && { 'tls-server-name': place.tlsServerName }),
    ...(place.insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
    ...(place.proxyUrl !== undefined && { 'proxy-url': place.proxyUrl }),
    ...(place.disableCompression && { 'disable-compression': true }),
  };
}

function userEntry({ cert, key, certFile, keyFile, token, tokenFile, basic }: Connection) {
  return {
    ...(cert !== undefined && { 'client-certificate-data': base64(cert) }),
    ...(key !== undefined && { 'client-key-data': base64(key) }),
    ...(certFile !== undefined && { 'client-certificate': certFile }),
    ...(keyFile !== undefined && { 'client-key': keyFile }),
    ...(token !== undefined && { token }),
    ...(tokenFile !== undefined && { tokenFile }),
    ...basic,
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
