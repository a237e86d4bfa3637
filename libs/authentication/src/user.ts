import type { BoundObject } from './tokens/bound-objects.js';

/** A user as authentication, authorization, admission and audit know it. */
export interface UserInfo {
  /** Unique among users: a certificate's common name, a token's user name, `system:anonymous`. Never empty. */
  readonly name: string;
  /** Distinguishes users that had the same name at different times; unset when the method has none. */
  readonly uid?: string;
  /** Without duplicates when made by {@link authenticated}, which adds `system:authenticated`. */
  readonly groups: readonly string[];
  /** Extra values of the method, by key; empty when there are none. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Returns a user as in reviews and the audit log (`authentication.k8s.io/v1`, UserInfo). */
export const wireUser = ({ name, uid, groups, extra }: UserInfo) => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups: [...groups],
  ...(Object.keys(extra).length > 0 && { extra }),
});

/** How a caller was authenticated. `proxy`: by another server of the installation, or a front proxy. */
export type AuthenticationMethod = 'x509' | 'token' | 'proxy' | 'anonymous';

/** The authenticated caller of a request. */
export interface Authentication {
  /** Shared by all requests with the same credential: must not be changed. */
  readonly user: UserInfo;
  /** Method that authenticated the caller. */
  readonly method: AuthenticationMethod;
  /** Expiry of the credential, milliseconds since the epoch: a longer request (a watch) must be checked again then. */
  readonly expiresAt?: number;
  /** Set if the proxy that speaks for the caller records the request. */
  readonly audited?: true;
  /** The only verb that the credential is valid for; absent if it is for all. */
  readonly onlyFor?: 'watch';
  /** SHA-256 fingerprint of the authority of the client certificate; for `proxy`, of the proxy's. */
  readonly authority?: string;
  /** Requested audiences that the token is valid for; unset when audiences are not known. */
  readonly audiences?: readonly string[];
  /** Objects that the credential depends on: a long request must be checked again when one of them changes. */
  readonly boundTo?: readonly BoundObject[];
  /** How to check a credential again with the external system that knows it, for long requests. */
  readonly recheck?: Recheck;
  /** Annotations about the credential for the audit log, by key. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Checks again whether a credential is valid that only an external system knows. */
export interface Recheck {
  /** Identifies the credential, and reveals nothing of it. */
  readonly key: string;
  /** Time of the next check, milliseconds since the epoch. */
  readonly dueAt: number;
  /**
   * Returns the current user; undefined when the credential is not valid any more. @throws Error when that is unknown
   */
  again(): Promise<Authentication | undefined>;
}

const ANONYMOUS_NAME = 'system:anonymous';
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';

/** The caller without credentials (spec: "Anonymous requests"). */
export const ANONYMOUS: Authentication = {
  user: { name: ANONYMOUS_NAME, groups: [UNAUTHENTICATED], extra: {} },
  method: 'anonymous',
};

/** Creates an authenticated caller: adds `system:authenticated`. Called once per credential, not per request. */
export function authenticated(
  user: UserInfo,
  method: Exclude<AuthenticationMethod, 'anonymous'>,
  expiresAt?: number,
): Authentication {
  const outside = user.name === ANONYMOUS_NAME || user.groups.includes(UNAUTHENTICATED);
  const groups = outside ? user.groups : [...new Set([...user.groups, AUTHENTICATED])];
  return { user: { ...user, groups }, method, ...(expiresAt !== undefined && { expiresAt }) };
}
