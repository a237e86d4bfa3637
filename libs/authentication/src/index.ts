export {
  type AuthenticationRequest,
  type Authenticator,
  type AuthenticatorSettings,
  createAuthenticator,
} from './authenticator.js';
export { certificateRequest } from './certificate-request.js';
export { type CertificateSubject, commonNamesOf, generateKey, hostsOf, type Issuer } from './certificates.js';
export { issueClientCertificate } from './client-certificate.js';
export {
  asksToImpersonate,
  IMPERSONATE_PREFIX,
  type Impersonation,
  impersonated,
  impersonationOf,
} from './impersonation.js';
export type { ReadDocument } from './oidc/issuer-keys.js';
export { type OidcServices, OidcVerifier } from './oidc/oidc-verifier.js';
export { type OidcSettings, SIGNING_ALGORITHMS } from './oidc/settings.js';
export {
  ensurePki,
  ensureProxyPki,
  ensureServingPki,
  ensureSigningAuthority,
  ensureTokenKey,
  type KeyPair,
  type Pki,
  type PkiSettings,
  type ProxyPki,
  type ServingPki,
} from './pki.js';
export {
  AGGREGATOR_NAME,
  FRONT_PROXY_NAME,
  forwardedIdentity,
  GATEWAY_CLIENT_NAME,
  isIdentityHeader,
  type RequestHeaderNames,
  requestHeaderNames,
} from './request-header.js';
export { selfSignedPair } from './self-signed.js';
export {
  type ServiceAccountName,
  serviceAccountGroups,
  serviceAccountOf,
  serviceAccountUser,
} from './service-account-name.js';
export { checkAuthority, SigningAuthority, type ToSign } from './signing-authority.js';
export { TokenFileAuthenticator, TokenFileError } from './token-file.js';
export { audienceAgnostic, commonAudiences, type TokenVerifier } from './token-verifier.js';
export { BOOTSTRAP_SECRETS, BootstrapTokens, bootstrapTokenEnd, bootstrapTypeOf } from './tokens/bootstrap-tokens.js';
export {
  type BoundObject,
  type BoundObjectGetter,
  type CredentialValidity,
  type KnownObject,
  keyOfObject,
  type ObjectName,
  validityOf,
} from './tokens/bound-objects.js';
export { DISCOVERY_PATH, discoveryDocument, discoveryProblem, KEYS_PATH, keySet } from './tokens/issuer-metadata.js';
export { ServiceAccountTokens, type TokenUse } from './tokens/service-account-tokens.js';
export {
  EXTENDED_SECONDS,
  INJECTED_SECONDS,
  type TokenGrant,
  TokenIssuer,
  type TokenIssuerSettings,
} from './tokens/token-issuer.js';
export { type SigningKey, signingKeyOf, type VerificationKey, verificationKeysOf } from './tokens/verification-key.js';
export { authoritiesOf, type CertificateTrust, certificatesOf, isTrusted, readableCertificatesOf } from './trust.js';
export {
  ANONYMOUS,
  type Authentication,
  type AuthenticationMethod,
  authenticated,
  type Recheck,
  type UserInfo,
  wireUser,
} from './user.js';
export { CLIENT_CERTIFICATE_OPTIONS, keepChains } from './x509.js';
