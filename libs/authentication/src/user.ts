import type { Binding } from './tokens/bound-objects.js';

/** A user as authentication, authorization, admission and audit know it. */
export interface UserInfo {
  /** Unique among users: a certificate's common name, a token's user name, `system:anonymous`. Never empty. */
  readonly name: string;
  /** Distinguishes users that had the same name at different times; unset when the method has none. */
  readonly uid?: string;
  /** Without repeats when made by {@link authenticated}, which adds `system:authenticated`. */
  readonly groups: readonly string[];
  /** Further values that the method knows, by key; empty when there are none. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A user as reviews and the audit log write it (`authentication.k8s.io/v1`, UserInfo). */
export const wireUser = ({ name, uid, groups, extra }: UserInfo) => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups: [...groups],
  ...(Object.keys(extra).length > 0 && { extra }),
});

/** How a caller was recognised. `proxy`: by what another server of the installation, or a front proxy, says. */
export type AuthenticationMethod = 'x509' | 'token' | 'proxy' | 'anonymous';

/** A request whose caller is settled. */
export interface Authentication {
  /** Shared by all requests with the same credential: not to be changed. */
  readonly user: UserInfo;
  /** Method that authenticated the caller. */
  readonly method: AuthenticationMethod;
  /** Expiry of the credential, milliseconds since the epoch: a longer request (a watch) must be checked again then. */
  readonly expiresAt?: number;
  /** The request is recorded by the proxy that speaks for its caller. */
  readonly audited?: true;
  /** The one verb that the credential is good for; absent where it is for all. */
  readonly onlyFor?: 'watch';
  /** SHA-256 fingerprint of the authority of the client certificate that this goes by; for `proxy`, of the proxy's. */
  readonly authority?: string;
  /** Requested audiences that the token is valid for; unset when audiences are not known. */
  readonly audiences?: readonly string[];
  /** Objects that the credential depends on: a long request must be checked again when one of them changes. */
  readonly boundTo?: readonly Binding[];
  /** How to check a credential again with the external system that knows it, for long requests. */
  readonly recheck?: Recheck;
  /** Annotations about the credential for the audit log, by key. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Checks again whether a credential is valid that only an external system knows. */
export interface Recheck {
  /** Identifies the credential, and reveals nothing of it. */
  readonly key: string;
  /** Until when what is known of it holds, milliseconds since the epoch. */
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

/** A caller who has proved who they are: joins `system:authenticated`. Made when a credential is learned, not per request. */
export function authenticated(
  user: UserInfo,
  method: Exclude<AuthenticationMethod, 'anonymous'>,
  expiresAt?: number,
): Authentication {
  const outside = user.name === ANONYMOUS_NAME || user.groups.includes(UNAUTHENTICATED);
  const groups = outside ? user.groups : [...new Set([...user.groups, AUTHENTICATED])];
  return { user: { ...user, groups }, method, ...(expiresAt !== undefined && { expiresAt }) };
}
