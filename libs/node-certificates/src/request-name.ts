import { createHash, createPublicKey } from 'node:crypto';
import type { WantedCertificate } from './wanted.js';

/**
 * Returns the name of the request for a certificate with a key, as the reference derives it (`digestedName` in
 * `pkg/kubelet/certificate/bootstrap`), with the hosts of a server added: who asks again for the same with the same key
 * finds the request that is there. Nobody else can take the name first, as nobody knows the key before.
 */
export function requestName(key: string, { subject, usages, hosts }: WantedCertificate): string {
  const hash = createHash('sha512-256');
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  for (const part of [publicKey, subject.commonName, ...(subject.organizations ?? []), ...usages, ...hosts])
    hash.update(`${Buffer.from(part).toString('base64url')}|`);
  return `node-csr-${hash.digest('base64url')}`;
}
