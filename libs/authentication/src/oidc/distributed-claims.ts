import { type Claims, checkClaims, claimOf, issuerOf, objectClaim, unverifiedClaims } from './claims.js';
import { IssuerKeys, type IssuerKeysSettings } from './issuer-keys.js';

/** Maximum number of cached issuers of such claims. */
const MOST_ISSUERS = 16;

interface DistributedClaimsSettings extends Omit<IssuerKeysSettings, 'issuer' | 'onKeys'> {
  readonly clientId: string;
}

/**
 * Fetches a claim that a token says to be elsewhere (OpenID Connect Core 1.0 section 5.6.2), as a JWT of its own that
 * must be for the same client and verified by the issuer that it names. Its address comes from a verified token.
 */
export class DistributedClaims {
  readonly #issuers = new Map<string, IssuerKeys>();

  constructor(private readonly settings: DistributedClaimsSettings) {}

  /**
   * Returns the claims including the distributed one of this name, if they have its source. @throws Error when it
   * cannot be fetched
   */
  async with(claims: Claims, name: string): Promise<Claims> {
    if (claimOf(claims, name) !== undefined) return claims;
    const source = sourceOf(claims, name);
    if (!source) return claims;
    const value = await this.#fetch(source, name);
    return { ...claims, [name]: value };
  }

  close(): void {
    for (const issuer of this.#issuers.values()) issuer.close();
  }

  async #fetch({ endpoint, accessToken }: Source, name: string): Promise<unknown> {
    const { read, clientId, now } = this.settings;
    const token = Buffer.from(await read(endpoint, accessToken))
      .toString('utf8')
      .trim();
    const untrusted = unverifiedClaims(token);
    const issuer = untrusted && issuerOf(untrusted);
    if (issuer === undefined) throw new Error(`oidc: ${endpoint} did not answer with a JWT`);
    checkClaims(untrusted as Claims, { clientId, now: now() });
    const keys = await this.#keysOf(issuer);
    const value = claimOf(await keys.verify(token), name);
    if (value === undefined)
      throw new Error(
        `oidc: jwt returned by distributed claim endpoint ${JSON.stringify(endpoint)} did not contain claim: ${name}`,
      );
    return value;
  }

  async #keysOf(issuer: string): Promise<IssuerKeys> {
    const known = this.#issuers.get(issuer);
    const keys = known ?? new IssuerKeys({ ...this.settings, issuer });
    if (!known) {
      if (this.#issuers.size >= MOST_ISSUERS) throw new Error('oidc: distributed claims have too many issuers');
      this.#issuers.set(issuer, keys);
      await keys.start();
    }
    if (!keys.ready) throw new Error(`oidc: verifier not initialized for issuer: ${JSON.stringify(issuer)}`);
    return keys;
  }
}

interface Source {
  readonly endpoint: string;
  readonly accessToken?: string;
}

/** Returns the source of a claim; undefined if it has none. */
function sourceOf(claims: Claims, name: string): Source | undefined {
  if (claimOf(claims, '_claim_names') === undefined) return undefined;
  const names = objectClaim(claims, '_claim_names');
  const sources = objectClaim(claims, '_claim_sources');
  if (!names) throw new Error('oidc: error parsing distributed claim names');
  const key = claimOf(names, name);
  if (!sources) throw new Error('oidc: no claim sources');
  if (key === undefined) return undefined;
  const source = typeof key === 'string' ? objectClaim(sources, key) : undefined;
  if (!source) throw new Error('oidc: a claim has a source that is not among the sources');
  const [endpoint, accessToken] = [claimOf(source, 'endpoint'), claimOf(source, 'access_token')];
  // A source without an endpoint may be an aggregated claim, a JWT of another issuer in the token: those are not
  // supported.
  if (typeof endpoint !== 'string' || endpoint === '') return undefined;
  return { endpoint, ...(typeof accessToken === 'string' && accessToken !== '' && { accessToken }) };
}
