import { isIP } from 'node:net';
import { type CertificateSubject, distinguishedName, importKey, SIGNATURE } from './certificates.js';
import { x509Library } from './x509-library.js';

/** Contents of a certificate request. */
interface RequestedCertificate {
  /** Private key of the holder, P-256, PEM. */
  readonly key: string;
  /** Name of the holder. */
  readonly subject: CertificateSubject;
  /** DNS names and IP addresses; none for a client. */
  readonly hosts?: readonly string[];
}

/** Returns a certificate request (PKCS #10), PEM. @throws Error where the key is not a P-256 one */
export async function certificateRequest({ key, subject, hosts = [] }: RequestedCertificate): Promise<string> {
  const x509 = await x509Library();
  const names = hosts.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: distinguishedName(subject),
    keys: await importKey(key),
    signingAlgorithm: SIGNATURE,
    ...(names.length > 0 && { extensions: [new x509.SubjectAlternativeNameExtension(names)] }),
  });
  return `${request.toString('pem')}\n`;
}
