import { createPrivateKey, X509Certificate } from 'node:crypto';

/** A client certificate and its private key. Another object means another certificate. */
export interface ClientCertificate {
  /** PEM, with intermediates behind it. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** Returns both, if they belong together. The error quotes none of their content. @throws Error */
export function clientCertificate(cert: string, key: string): ClientCertificate {
  const leaf = parsed(() => new X509Certificate(cert), 'the client certificate is not a certificate in PEM');
  const privateKey = parsed(() => createPrivateKey(key), 'the client key is not a private key in PEM');
  if (!leaf.checkPrivateKey(privateKey)) throw new Error('the client key does not belong to the client certificate');
  return { cert, key };
}

function parsed<T>(parse: () => T, message: string): T {
  try {
    return parse();
  } catch {
    throw new Error(message);
  }
}
