import type { UserInfo } from '@orch/authentication';
import { StatusError } from '@orch/machinery';

export interface AuthorizationRequest {
  readonly user: UserInfo;
  readonly method: string;
  readonly path: string;
}

/** Decides whether a request may go on; a denial is the error to answer with. */
export interface Authorizer {
  authorize(request: AuthorizationRequest): StatusError | undefined;
}

const ANONYMOUS_PATHS = /^\/(?:(?:livez|readyz|healthz)(?:\/.*)?|version\/?)$/;
const UNAUTHENTICATED = 'system:unauthenticated';

/**
 * The rule until policies exist: who has credentials may do everything, who has none may see health and version.
 */
export const credentialsDecide: Authorizer = {
  authorize({ user, method, path }) {
    if (!user.groups.includes(UNAUTHENTICATED) || ANONYMOUS_PATHS.test(path)) return undefined;
    return new StatusError(
      'Forbidden',
      `forbidden: User ${JSON.stringify(user.name)} cannot ${method.toLowerCase()} path ${JSON.stringify(path)}`,
    );
  },
};
