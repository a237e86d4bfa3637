/** Claims of a token by name; values as in its JSON. */
export type Claims = Readonly<Record<string, unknown>>;

/** How far a token may begin in the future, ms, for issuers whose clocks are ahead; there is no such leeway at its end. */
const BEGIN_LEEWAY_MS = 60_000;

/** Tokens that are longer are none of an issuer: nothing is read of them. */
const MAX_LENGTH = 64 << 10;

/** The issuer that leaves the scheme of its URL away in tokens. */
const SHORT_ISSUER = 'accounts.google.com';

/** The claims of a JWT in the compact form, not verified; undefined for what is none. */
export function unverifiedClaims(token: string): Claims | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]*$/.test(part))) return undefined;
  return asClaims(Buffer.from(String(parts[1]), 'base64url'));
}

/** Claims of a payload; undefined for what is no JSON object. */
export function asClaims(payload: Uint8Array): Claims | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A claim; undefined where there is none of this name, whatever the name. */
export const claimOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

/** The members of a claim that is an object. */
export function objectClaim(claims: Claims, name: string): Claims | undefined {
  const value = claimOf(claims, name);
  return isObject(value) ? value : undefined;
}

/** Returns the issuer that a token claims; not verified. */
export function issuerOf(claims: Claims): string | undefined {
  const issuer = claimOf(claims, 'iss');
  if (issuer === SHORT_ISSUER) return `https://${SHORT_ISSUER}`;
  return typeof issuer === 'string' ? issuer : undefined;
}

/** Expected values of claims, beside their signature. */
interface Expected {
  readonly clientId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Judges for whom a token is, and when; who is authorized to use it (`azp`) is left to the issuer.
 * @returns when it ends, milliseconds since 1970
 * @throws Error saying why it is not good
 */
export function checkClaims(claims: Claims, { clientId, now }: Expected): number {
  const audience = claimOf(claims, 'aud');
  const audiences: unknown[] = Array.isArray(audience) ? audience : [audience];
  if (!audiences.every((each) => typeof each === 'string'))
    throw new Error('oidc: the audience is not a list of strings');
  if (!audiences.includes(clientId))
    throw new Error(`oidc: expected audience ${JSON.stringify(clientId)} got ${JSON.stringify(audiences)}`);
  const expires = timeOf(claims, 'exp');
  if (expires === undefined || expires < now)
    throw new Error(`oidc: token is expired (Token Expiry: ${expires === undefined ? 'none' : shownTime(expires)})`);
  const begins = timeOf(claims, 'nbf');
  if (begins !== undefined && now + BEGIN_LEEWAY_MS < begins)
    throw new Error(`oidc: current time ${shownTime(now)} before the nbf (not before) time: ${shownTime(begins)}`);
  return expires;
}

/** The last time that can be written. */
const LAST_TIME = 8.64e15;

/** Converts seconds since 1970 to milliseconds. @throws Error for what is no time */
function timeOf(claims: Claims, name: string): number | undefined {
  const value = claimOf(claims, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`oidc: ${name} is not a time`);
  return Math.max(-LAST_TIME, Math.min(LAST_TIME, value * 1000));
}

const shownTime = (ms: number): string => new Date(ms).toISOString();
