export {
  type AuthenticationRequest,
  type Authenticator,
  type AuthenticatorSettings,
  createAuthenticator,
} from './authenticator.js';
export { ensurePki, type KeyPair, type Pki, type PkiSettings } from './pki.js';
export { forwardedIdentity, isIdentityHeader } from './request-header.js';
export { TokenFile, TokenFileError, type TokenVerifier } from './token-file.js';
export { ANONYMOUS, type Authentication, type AuthenticationMethod, authenticated, type UserInfo } from './user.js';
