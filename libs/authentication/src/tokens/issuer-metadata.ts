import { jwkOf, type VerificationKey } from './verification-key.js';

/** Path of the document that tells relying parties of an issuer where its keys are (OpenID Connect Discovery 1.0). */
export const DISCOVERY_PATH = '/.well-known/openid-configuration';
/** Default path of the keys. */
export const KEYS_PATH = '/openid/v1/jwks';

/** Returns why the keys of an issuer cannot be found by its name; undefined if they can. */
export function discoveryProblem(issuer: string): string | undefined {
  if (!URL.canParse(issuer)) return `the issuer ${JSON.stringify(issuer)} is no URL`;
  const url = new URL(issuer);
  if (url.protocol !== 'https:') return `the issuer ${issuer} is not of scheme https`;
  return url.search === '' && url.hash === '' ? undefined : `the issuer ${issuer} has a query or a fragment`;
}

/**
 * Returns the discovery document of an issuer, in the order of pkg/serviceaccount/openidmetadata.go of
 * k8s.io/kubernetes.
 */
export const discoveryDocument = (issuer: string, keysUri: string, keys: readonly VerificationKey[]) => ({
  issuer,
  jwks_uri: keysUri,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
});

/** Returns the keys of an issuer (RFC 7517). */
export const keySet = (keys: readonly VerificationKey[]) => ({ keys: keys.map(jwkOf) });
