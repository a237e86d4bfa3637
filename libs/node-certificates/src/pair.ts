import { createPrivateKey, X509Certificate } from 'node:crypto';

/** A certificate and its key. */
export interface CertificatePair {
  /** PEM, with intermediates behind it. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** The certificate of a port, which may change. */
export interface PairSource {
  /**
   * Returns the certificate in use; undefined until there is one. A port listens without a certificate then: each
   * handshake fails with an alert, as with a kubelet whose request is not approved yet.
   */
  pair(): CertificatePair | undefined;
  /** Calls `listener` with each later certificate. Returns a function that removes it. */
  onChange(listener: (pair: CertificatePair) => void): () => void;
  /** Ends what follows or renews it. */
  stop(): Promise<void>;
}

/** Times of a certificate, milliseconds since 1970. */
export interface Validity {
  /** Begin. */
  readonly from: number;
  /** End. */
  readonly to: number;
}

/** Returns the times of the first certificate of a pair. */
export function validityOf({ cert }: Pick<CertificatePair, 'cert'>): Validity {
  const { validFrom, validTo } = new X509Certificate(cert);
  return { from: Date.parse(validFrom), to: Date.parse(validTo) };
}

/** Throws where certificate and key cannot be read or do not belong together. The message quotes neither. */
export function checkPair({ cert, key }: CertificatePair): void {
  let fits: boolean;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    throw new Error('certificate or key is not one in PEM');
  }
  if (!fits) throw new Error('the key does not belong to the certificate');
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----\n?/g;

/** Returns the pair in one PEM text, certificates and key in any order. @throws Error as {@link checkPair} does */
export function pairOf(pem: string): CertificatePair {
  const blocks = [...pem.matchAll(BLOCK)];
  const textOf = (isWanted: (type: string) => boolean) =>
    blocks.flatMap(([text, type = '']) => (isWanted(type) ? [text] : [])).join('');
  const pair = {
    cert: textOf((type) => type === 'CERTIFICATE'),
    key: textOf((type) => type.endsWith('PRIVATE KEY')),
  };
  checkPair(pair);
  return pair;
}
