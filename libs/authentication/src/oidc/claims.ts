/** Claims of a token by name; values as in its JSON. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Milliseconds by which a token may begin in the future, for issuers whose clocks are ahead; there is no such leeway at
 * its end.
 */
const BEGIN_LEEWAY_MS = 60_000;

/** Longer tokens are no issuer's: they are not decoded. */
const MAX_LENGTH = 64 << 10;

/** The issuer that omits the scheme of its URL in tokens. */
const SHORT_ISSUER = 'accounts.google.com';

/** Returns the claims of a JWT in the compact form, not verified; undefined for an invalid one. */
export function unverifiedClaims(token: string): Claims | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]*$/.test(part))) return undefined;
  return asClaims(Buffer.from(String(parts[1]), 'base64url'));
}

/** Returns the claims of a payload; undefined for what is no JSON object. */
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

/** Returns a claim; undefined if there is none, whatever the name. */
export const claimOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

/** Returns the members of a claim that is an object. */
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
 * Checks audience and times of a token; whether its holder may use it (`azp`) is left to the issuer.
 * @returns when it expires, milliseconds since 1970
 * @throws Error saying why it is not valid
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

/** The last time that a Date can hold. */
const LAST_TIME = 8.64e15;

/** Converts seconds since 1970 to milliseconds. @throws Error for what is no time */
function timeOf(claims: Claims, name: string): number | undefined {
  const value = claimOf(claims, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`oidc: ${name} is not a time`);
  return Math.max(-LAST_TIME, Math.min(LAST_TIME, value * 1000));
}

const shownTime = (ms: number): string => new Date(ms).toISOString();
