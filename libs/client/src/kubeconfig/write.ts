import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import type { Connection } from '../connection.js';

/**
 * Writes a kubeconfig with one cluster, user and context, all called `name`, and everything inline.
 * The file appears whole, readable by its owner alone (0600).
 */
export async function writeKubeconfig(file: string, connection: Connection, name = 'default'): Promise<void> {
  const { server, ca, cert, key, token, basic, tlsServerName, insecureSkipTlsVerify, namespace } = connection;
  const cluster = {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': base64(ca) }),
    ...(tlsServerName !== undefined && { 'tls-server-name': tlsServerName }),
    ...(insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
  };
  const user = {
    ...(cert !== undefined && { 'client-certificate-data': base64(cert) }),
    ...(key !== undefined && { 'client-key-data': base64(key) }),
    ...(token !== undefined && { token }),
    ...basic,
  };
  const text = stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster }],
      users: [{ name, user }],
      contexts: [{ name, context: { cluster: name, user: name, ...(namespace !== undefined && { namespace }) } }],
      'current-context': name,
    },
    { lineWidth: 0 },
  );
  const temporary = `${file}.${randomUUID()}.tmp`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
