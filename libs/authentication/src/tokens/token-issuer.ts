import type { Names } from '@orch/machinery';
import { serviceAccountUser } from '../service-account-name.js';
import { type AccountReference, privateClaimOf } from './account-claims.js';
import { signToken } from './signed-token.js';
import type { SigningKey } from './verification-key.js';

/** Lifetime in seconds that Kubernetes requests for tokens injected into pods; old programs read them only once. */
export const INJECTED_SECONDS = 3607;
/** Actual lifetime of those in seconds. */
export const EXTENDED_SECONDS = 365 * 24 * 3600;

/** Content of a token to issue. */
export interface TokenGrant extends AccountReference {
  /** Audiences of the token. */
  readonly audiences: readonly string[];
  /** Lifetime in seconds. */
  readonly expirationSeconds: number;
  /** Seconds after which its holder should have renewed it; if absent, until it expires. */
  readonly warnAfterSeconds?: number;
}

/** Issuer, and limits of its tokens. */
export interface TokenIssuerSettings {
  /** Names of claims. */
  readonly names: Names;
  /** Key that signs them. */
  readonly key: SigningKey;
  /** Name of the issuer. */
  readonly issuer: string;
  /** Audiences of the API: the default for tokens that request none. */
  readonly audiences: readonly string[];
  /** Maximum lifetime in seconds that may be requested; undefined for no limit. */
  readonly maxSeconds: number | undefined;
  /** Whether tokens of pods that do not renew them are valid for longer than requested. */
  readonly extend: boolean;
}

/** Issues tokens of service accounts. */
export class TokenIssuer {
  readonly #settings: TokenIssuerSettings;

  constructor(settings: TokenIssuerSettings) {
    this.#settings = settings;
  }

  /** Audiences of the API. */
  get audiences(): readonly string[] {
    return this.#settings.audiences;
  }

  /** Maximum lifetime in seconds that may be requested; undefined for no limit. */
  get maxSeconds(): number | undefined {
    return this.#settings.maxSeconds;
  }

  /** Whether tokens of pods that do not renew them are valid for longer than requested. */
  get extend(): boolean {
    return this.#settings.extend;
  }

  /**
   * Issues a token (claims as in pkg/serviceaccount/claims.go of k8s.io/kubernetes).
   * @param now milliseconds since the epoch
   */
  issue(grant: TokenGrant, now: number): string {
    const { names, key, issuer } = this.#settings;
    const { namespace, account, pod, secret, audiences, expirationSeconds, warnAfterSeconds } = grant;
    const at = Math.floor(now / 1000);
    const own = {
      namespace,
      ...(pod && { pod }),
      ...(secret && { secret }),
      serviceaccount: account,
      ...(warnAfterSeconds !== undefined && { warnafter: at + warnAfterSeconds }),
    };
    const claims = {
      aud: audiences,
      exp: at + expirationSeconds,
      iat: at,
      iss: issuer,
      [privateClaimOf(names)]: own,
      nbf: at,
      sub: serviceAccountUser({ namespace, name: account.name }),
    };
    return signToken(claims, key);
  }
}
