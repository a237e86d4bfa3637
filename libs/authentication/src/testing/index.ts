export { type Account, type IssuerTls, OidcIssuer } from './oidc-issuer.js';

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey, issueCertificate } from '../certificates.js';
import type { KeyPair } from '../pki.js';

/** A client's certificate that an authority below `above` has signed, with that authority's behind it; PEM, for a day. */
export async function certificateBelow(above: KeyPair, commonName: string): Promise<{ cert: string; key: string }> {
  const intermediate = { key: await generateKey(), cert: '' };
  intermediate.cert = await issueAuthority(above, intermediate.key);
  const key = await generateKey();
  const request = { key, subject: { commonName }, usage: 'client', days: 1 } as const;
  return { key, cert: (await issueCertificate(intermediate, request, Date.now())) + intermediate.cert };
}

/** Made with openssl: servers themselves make no authority below another. */
async function issueAuthority(above: KeyPair, key: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'authority-'));
  try {
    const [file, extensions] = [join(dir, 'key'), join(dir, 'extensions')];
    await writeFile(file, key, { mode: 0o600 });
    await writeFile(extensions, 'basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign\n');
    const request = execFileSync('openssl', ['req', '-new', '-key', file, '-subj', '/CN=intermediate']);
    const args = ['x509', '-req', '-CA', above.certFile, '-CAkey', above.keyFile, '-days', '1', '-extfile', extensions];
    return execFileSync('openssl', args, { input: request, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
  } finally {
    await rm(dir, { recursive: true });
  }
}

export { type AskedFor, makeCertificateRequest } from './certificate-request.js';
