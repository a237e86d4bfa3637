import { sign, verify } from 'node:crypto';
import type { SigningAlgorithm, SigningKey, VerificationKey } from './verification-key.js';

/** A JWT as written (RFC 7519, compact); nothing of it may be trusted before {@link isSignedBy}. */
export interface SignedToken {
  readonly algorithm: unknown;
  readonly keyId: unknown;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** Maximum length of a token, characters: as much as headers of a request may have. */
const LONGEST = 16_384;

/** Digest of each algorithm; ECDSA signatures are the two numbers as they are (RFC 7518, 3.4). */
const DIGEST: Readonly<Record<SigningAlgorithm, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};

/** Parses a token; undefined for an invalid one. The encoding is canonical: unused bits must be zero. */
export function parseToken(token: string): SignedToken | undefined {
  if (token.length > LONGEST) return undefined;
  const parts = token.split('.', 4);
  if (parts.length !== 3) return undefined;
  const [header, payload, signature] = parts.map(bytesOf);
  const head = header && objectOf(header);
  const claims = payload && objectOf(payload);
  // Critical extensions (RFC 7515, 4.1.11): none is supported.
  if (!head || !claims || !signature || head.crit !== undefined) return undefined;
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')));
  return { algorithm: head.alg, keyId: head.kid, claims, signed, signature };
}

/**
 * Whether one of the keys has signed it. The algorithm is the key's, and the token must name it; the token's key id
 * only selects a key, if it is the id of one. Keys that a token contains or points to are ignored.
 */
export function isSignedBy(token: SignedToken, keys: readonly VerificationKey[]): boolean {
  const named = keys.filter(({ id }) => id === token.keyId);
  return (named.length > 0 ? named : keys).some(
    ({ algorithm, key }) =>
      token.algorithm === algorithm &&
      verify(DIGEST[algorithm], token.signed, { key, dsaEncoding: 'ieee-p1363' }, token.signature),
  );
}

/** Signs claims, encoded as JSON. */
export function signToken(claims: object, { key, verification: { id, algorithm } }: SigningKey): string {
  const signed = `${encoded({ alg: algorithm, kid: id })}.${encoded(claims)}`;
  const signature = sign(DIGEST[algorithm], Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function bytesOf(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

function objectOf(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value of JSON is an object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
