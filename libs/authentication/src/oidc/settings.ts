/** Accepted signing algorithms: each has a public key, so that verifiers cannot sign. */
export const SIGNING_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
] as const;

/** Accepted tokens of an OpenID Connect issuer, and how they map to users (`--oidc-*`). */
export interface OidcSettings {
  /** `https` URL; the `iss` of tokens, and where its discovery document is. */
  readonly issuerUrl: string;
  /** Tokens must be for this audience. */
  readonly clientId: string;
  /** Claim whose value, a string, is the user's name. */
  readonly usernameClaim: string;
  /** Prefix of user names; `-` for none. Default: the issuer and `#`, and none for the claim `email`. */
  readonly usernamePrefix?: string | undefined;
  /** Claim whose value or values are groups. */
  readonly groupsClaim?: string | undefined;
  /** Prefix of those groups. Default: none. */
  readonly groupsPrefix?: string | undefined;
  /** Claims that tokens must have, with these values. */
  readonly requiredClaims: ReadonlyMap<string, string>;
  /** Accepted algorithms, of {@link SIGNING_ALGORITHMS}. */
  readonly signingAlgorithms: readonly string[];
}

/** Returns the prefix of user names (pkg/kubeapiserver/authenticator/config.go of k8s.io/kubernetes). */
export function usernamePrefixOf({ usernamePrefix = '', usernameClaim, issuerUrl }: OidcSettings): string {
  if (usernamePrefix === '-') return '';
  return usernamePrefix === '' && usernameClaim !== 'email' ? `${issuerUrl}#` : usernamePrefix;
}

/** @throws RangeError for unusable settings */
export function checkOidcSettings({ issuerUrl, usernameClaim, signingAlgorithms }: OidcSettings): void {
  if (!URL.canParse(issuerUrl)) throw new RangeError(`--oidc-issuer-url: ${JSON.stringify(issuerUrl)} is not a URL`);
  const { protocol } = new URL(issuerUrl);
  if (protocol !== 'https:')
    throw new RangeError(
      `--oidc-issuer-url: ${JSON.stringify(issuerUrl)} has invalid scheme ${JSON.stringify(protocol.slice(0, -1))}, require 'https'`,
    );
  if (usernameClaim === '') throw new RangeError('--oidc-username-claim: no username claim provided');
  for (const algorithm of signingAlgorithms) {
    if (!SIGNING_ALGORITHMS.some((known) => known === algorithm))
      throw new RangeError(`--oidc-signing-algs: unsupported signing alg: ${JSON.stringify(algorithm)}`);
  }
}
