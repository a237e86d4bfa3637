/** Who makes a request: what authorization, admission and audit know of the caller. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export type AuthenticationMethod = 'x509' | 'token' | 'proxy' | 'anonymous';

/** A request whose caller is settled. */
export interface Authentication {
  readonly user: UserInfo;
  readonly method: AuthenticationMethod;
  /** When the credential ends, milliseconds since the epoch: what outlives a request (a watch) is to be judged again then. */
  readonly expiresAt?: number;
  /** SHA-256 fingerprint of the authority of the client certificate that this goes by; for `proxy`, of the proxy's. */
  readonly authority?: string;
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
