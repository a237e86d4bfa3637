import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSigningAuthority, SigningAuthority } from '@orch/authentication';
import { readCertificateRequest, writtenNames } from '@orch/kinds';

/** An authority that signs the requests of a test. */
export async function createTestAuthority(): Promise<SigningAuthority> {
  const certDir = await mkdtemp(join(tmpdir(), 'signer-'));
  try {
    return await SigningAuthority.of(await ensureSigningAuthority({ certDir }));
  } finally {
    await rm(certDir, { recursive: true });
  }
}

/** Signs a request in the form of the API, PEM. */
export function signRequest(
  authority: SigningAuthority,
  { request, usages }: { readonly request: string; readonly usages: readonly string[] },
  lifetime: number,
  now: number,
): Promise<string> {
  const read = readCertificateRequest(Buffer.from(request, 'base64').toString());
  return authority.sign({ ...writtenNames(read), publicKey: read.publicKey, usages, lifetime }, now);
}
