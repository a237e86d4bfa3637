import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/** The algorithms of RFC 7518 that tokens of service accounts are signed with. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** A public key, and the one algorithm that it is used with: a token's header never selects another. */
export interface VerificationKey {
  /** SHA-256 of the key in DER, base64url without padding (as pkg/serviceaccount of k8s.io/kubernetes names keys). */
  readonly id: string;
  /** Determined by type and curve of the key. */
  readonly algorithm: SigningAlgorithm;
  /** The public key. */
  readonly key: KeyObject;
}

/** A private key, with its public key for verifiers. */
export interface SigningKey {
  /** The private key. */
  readonly key: KeyObject;
  /** Its public half. */
  readonly verification: VerificationKey;
}

/** PEM blocks of any type. */
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g;

const ALGORITHM_OF_CURVE: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/**
 * Returns the RSA and ECDSA keys of a PEM file, public halves of private ones, keys of certificates too. Other blocks
 * are skipped. Throws when there is none, or one is of a curve that tokens are not signed with.
 */
export function verificationKeysOf(pem: string): VerificationKey[] {
  const keys = blocksOf(pem).flatMap((block) => {
    const key = readable(() => createPublicKey(block));
    return key && isSupported(key) ? [verificationKey(key)] : [];
  });
  if (keys.length === 0) throw new Error('it contains no RSA or ECDSA key');
  return keys;
}

/** Returns the first RSA or ECDSA private key of a PEM file. Throws when there is none. */
export function signingKeyOf(pem: string): SigningKey {
  for (const block of blocksOf(pem)) {
    const key = readable(() => createPrivateKey(block));
    if (key && isSupported(key)) return { key, verification: verificationKey(createPublicKey(key)) };
  }
  throw new Error('it contains no RSA or ECDSA private key');
}

/** Returns a member of a JWK set (RFC 7517). */
export function jwkOf({ id, algorithm, key }: VerificationKey): JsonWebKey {
  const { kty, ...numbers } = key.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: id, alg: algorithm, ...numbers };
}

function verificationKey(key: KeyObject): VerificationKey {
  const der = key.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(der).digest('base64url');
  return { id, algorithm: algorithmOf(key), key };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  const { namedCurve = 'none' } = asymmetricKeyDetails ?? {};
  const algorithm = ALGORITHM_OF_CURVE[namedCurve];
  if (algorithm === undefined)
    throw new Error(`a key is on the curve ${namedCurve}; it must be on P-256, P-384 or P-521`);
  return algorithm;
}

const isSupported = ({ asymmetricKeyType }: KeyObject): boolean =>
  asymmetricKeyType === 'rsa' || asymmetricKeyType === 'ec';

const blocksOf = (pem: string): string[] => pem.match(BLOCK) ?? [];

/** Returns undefined for an unreadable block: files hold parameters and certificates beside keys. */
function readable(read: () => KeyObject): KeyObject | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
