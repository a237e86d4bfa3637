import { type Authentication, authenticated } from '../user.js';
import { type Claims, claimOf } from './claims.js';
import { type OidcSettings, usernamePrefixOf } from './settings.js';

/**
 * Returns the user of verified claims.
 * @param expiresAt milliseconds since 1970
 * @throws Error saying what is missing, or of the wrong type
 */
export function userOf(claims: Claims, settings: OidcSettings, expiresAt: number): Authentication {
  const name = usernamePrefixOf(settings) + usernameOf(claims, settings.usernameClaim);
  if (name === '')
    throw new Error(`oidc: parse username claims ${JSON.stringify(settings.usernameClaim)}: it is empty`);
  const groups = groupsOf(claims, settings);
  checkRequired(claims, settings.requiredClaims);
  return authenticated({ name, groups, extra: {} }, 'token', expiresAt);
}

function usernameOf(claims: Claims, claim: string): string {
  const name = claimOf(claims, claim);
  if (typeof name !== 'string') {
    const why = name === undefined ? 'claim not present' : 'it is not a string';
    throw new Error(`oidc: parse username claims ${JSON.stringify(claim)}: ${why}`);
  }
  if (claim === 'email') checkEmail(claims);
  return name;
}

/** Checks that an address is verified, if the issuer says whether it is. */
function checkEmail(claims: Claims): void {
  const verified = claimOf(claims, 'email_verified');
  if (verified === undefined) return;
  if (typeof verified !== 'boolean') throw new Error("oidc: parse 'email_verified' claim: it is not a boolean");
  if (!verified) throw new Error('oidc: email not verified');
}

function groupsOf(claims: Claims, { groupsClaim, groupsPrefix = '' }: OidcSettings): string[] {
  const value = groupsClaim ? (claimOf(claims, groupsClaim) ?? []) : [];
  const groups: unknown[] = Array.isArray(value) ? value : [value];
  return groups.map((group) => {
    if (typeof group === 'string') return groupsPrefix + group;
    throw new Error(
      `oidc: parse groups claim ${JSON.stringify(groupsClaim)}: it is neither a string nor a list of them`,
    );
  });
}

function checkRequired(claims: Claims, required: ReadonlyMap<string, string>): void {
  for (const [claim, wanted] of required) {
    const value = claimOf(claims, claim);
    if (value === undefined) throw new Error(`oidc: required claim ${claim} not present in ID token`);
    if (typeof value !== 'string') throw new Error(`oidc: parse claim ${claim}: it is not a string`);
    if (value !== wanted)
      throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${wanted}`);
  }
}
