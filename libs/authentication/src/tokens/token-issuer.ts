import type { Names } from '@orch/machinery';
import { serviceAccountUser } from '../service-account-name.js';
import { type AccountReference, privateClaimOf } from './account-claims.js';
import { signToken } from './signed-token.js';
import type { SigningKey } from './verification-key.js';

/** Tokens that Kubernetes injects into pods ask for so many seconds; programs of then read them once, and never again. */
export const INJECTED_SECONDS = 3607;
/** For how many seconds those are good. */
export const EXTENDED_SECONDS = 365 * 24 * 3600;

/** Content of a token to issue. */
export interface TokenGrant extends AccountReference {
  /** Audiences of the token. */
  readonly audiences: readonly string[];
  /** Seconds until it ends. */
  readonly expirationSeconds: number;
  /** Seconds after which its holder should have asked for another; without it, it is good until it expires. */
  readonly warnAfterSeconds?: number;
}

/** Issuer, and limits of its tokens. */
export interface TokenIssuerSettings {
  /** Names of claims. */
  readonly names: Names;
  /** With what they are signed. */
  readonly key: SigningKey;
  /** Name of the issuer. */
  readonly issuer: string;
  /** Audiences of the API: the default for tokens that request none. */
  readonly audiences: readonly string[];
  /** Most seconds that a token may be asked for; undefined for no bound. */
  readonly maxSeconds: number | undefined;
  /** Whether tokens of pods that know nothing of renewal are good for longer than they ask for. */
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

  /** Most seconds that may be asked for; undefined for no bound. */
  get maxSeconds(): number | undefined {
    return this.#settings.maxSeconds;
  }

  /** Whether tokens of pods that know nothing of renewal are good for longer than they ask for. */
  get extend(): boolean {
    return this.#settings.extend;
  }

  /**
   * A token (claims as in pkg/serviceaccount/claims.go of k8s.io/kubernetes).
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
