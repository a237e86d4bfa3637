import { createHmac } from 'node:crypto';

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/**
 * Returns the signature of a text by a token: a JWS with HMAC-SHA256 in its compact form, whose payload is left out
 * (RFC 7515, appendix F).
 */
export function detachedSignature(text: string, tokenId: string, tokenSecret: string): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: tokenId }));
  const signature = createHmac('sha256', tokenSecret)
    .update(`${header}.${base64url(text)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}
