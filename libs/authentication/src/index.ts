export {
  type AuthenticationRequest,
  type Authenticator,
  type AuthenticatorSettings,
  createAuthenticator,
} from './authenticator.js';
export {
  ensurePki,
  ensureProxyPki,
  ensureServingPki,
  ensureSigningAuthority,
  type KeyPair,
  type Pki,
  type PkiSettings,
  type ProxyPki,
  type ServingPki,
} from './pki.js';
export { forwardedIdentity, isIdentityHeader } from './request-header.js';
export { checkAuthority, SigningAuthority, type ToSign } from './signing-authority.js';
export { TokenFile, TokenFileError, type TokenVerifier } from './token-file.js';
export { type CertificateTrust, certificatesOf, fingerprintsOf, isTrusted } from './trust.js';
export { ANONYMOUS, type Authentication, type AuthenticationMethod, authenticated, type UserInfo } from './user.js';
export { CERTIFICATES_ASKED_FOR, keepChains } from './x509.js';
