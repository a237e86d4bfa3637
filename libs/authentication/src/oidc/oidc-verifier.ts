import type { TokenVerifier } from '../token-verifier.js';
import type { Authentication } from '../user.js';
import { VerifiedTokens } from '../verified-tokens.js';
import { userOf } from './claim-mapping.js';
import { type Claims, checkClaims, issuerOf, unverifiedClaims } from './claims.js';
import { DistributedClaims } from './distributed-claims.js';
import { IssuerKeys, type ReadDocument } from './issuer-keys.js';
import { checkOidcSettings, type OidcSettings } from './settings.js';

/** Dependencies of a verifier. */
export interface OidcServices {
  /** Reads documents of issuers. */
  readonly read: ReadDocument;
  /** Called with the error when an issuer cannot be reached. */
  readonly onError: (error: unknown) => void;
  /** Milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/** Milliseconds for which groups from distributed claims are cached: they change during the token's lifetime. */
const ELSEWHERE_MS = 10_000;

/**
 * Verifies ID tokens of one OpenID Connect issuer (spec: "OpenID Connect"), as plugin/pkg/authenticator/token/oidc of
 * k8s.io/apiserver does. Until the issuer has been discovered, its tokens are refused. Verified tokens are cached until
 * they expire, or the issuer's keys change.
 */
export class OidcVerifier implements TokenVerifier {
  readonly #now: () => number;
  readonly #keys: IssuerKeys;
  readonly #distributed: DistributedClaims;
  readonly #verified: VerifiedTokens;

  /** @throws RangeError for unusable settings */
  constructor(
    private readonly settings: OidcSettings,
    services: OidcServices,
  ) {
    checkOidcSettings(settings);
    const { read, onError, now = Date.now } = services;
    const { issuerUrl: issuer, signingAlgorithms: algorithms, clientId } = settings;
    this.#now = now;
    this.#verified = new VerifiedTokens(now);
    const common = { read, algorithms, onError, now };
    this.#keys = new IssuerKeys({ ...common, issuer, onKeys: () => this.#verified.clear() });
    this.#distributed = new DistributedClaims({ ...common, clientId });
  }

  /** Retries until the issuer is found. Resolves after the first attempt. */
  start(): Promise<void> {
    return this.#keys.start();
  }

  /** Stops looking for the issuer. */
  close(): void {
    this.#keys.close();
    this.#distributed.close();
  }

  /** Undefined for a token of another issuer. */
  async verify(token: string): Promise<Authentication | undefined> {
    const known = this.#verified.get(token);
    if (known) {
      this.#keys.renew();
      return known;
    }
    const untrusted = unverifiedClaims(token);
    if (!untrusted || issuerOf(untrusted) !== this.settings.issuerUrl) return undefined;
    if (!this.#keys.ready) throw new Error('oidc: authenticator not initialized');
    const { claims, expiresAt } = await this.#verifiedClaims(token, untrusted);
    const all = await this.#withGroups(claims);
    const found = userOf(all, this.settings, expiresAt);
    this.#verified.keep(token, found, all === claims ? undefined : ELSEWHERE_MS);
    return found;
  }

  /** Checks the claims first, which is cheap: keys may have to be fetched for the signature. */
  async #verifiedClaims(token: string, untrusted: Claims) {
    try {
      const expiresAt = checkClaims(untrusted, { clientId: this.settings.clientId, now: this.#now() });
      return { claims: await this.#keys.verify(token), expiresAt };
    } catch (error) {
      throw new Error(`oidc: verify token: ${messageOf(error)}`, { cause: error });
    }
  }

  async #withGroups(claims: Claims): Promise<Claims> {
    const { groupsClaim } = this.settings;
    if (!groupsClaim) return claims;
    try {
      return await this.#distributed.with(claims, groupsClaim);
    } catch (error) {
      throw new Error(`oidc: could not expand distributed claims: ${messageOf(error)}`, { cause: error });
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
