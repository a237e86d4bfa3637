import { createPublicKey } from 'node:crypto';
import { generateClientKey, type Issuer } from './certificates.js';
import { SigningAuthority } from './signing-authority.js';
import { x509Library } from './x509-library.js';

/** User that a client certificate authenticates. */
interface CertificateUser {
  /** The common name. */
  readonly name: string;
  /** The organizations, in order. */
  readonly groups: readonly string[];
}

const USAGES = ['digital signature', 'key encipherment', 'client auth'];

/**
 * Generates a key of 2,048 bits (RSA, PKCS #1) and signs a client certificate for it, both PEM. The certificate never
 * outlives the authority. `lifetime` and `now` are milliseconds.
 * @throws Error as `SigningAuthority.of` and `sign` do
 */
export async function issueClientCertificate(
  issuer: Issuer,
  { name, groups }: CertificateUser,
  lifetime: number,
  now: number,
): Promise<Issuer> {
  const authority = await SigningAuthority.of(issuer);
  const key = await generateClientKey();
  const x509 = await x509Library();
  // As an object, since the library reads a bare text that begins with # as DER.
  const subject = new x509.Name([
    ...groups.map((group) => ({ O: [{ utf8String: group }] })),
    { CN: [{ utf8String: name }] },
  ]);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const request = { subject: new Uint8Array(subject.toArrayBuffer()), alternativeNames: undefined, publicKey };
  return { cert: await authority.sign({ ...request, usages: USAGES, lifetime }, now), key };
}
