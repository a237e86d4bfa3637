import { type Authorizer, forbiddenRequest } from '@orch/authorization';
import type { WatchCheck } from '@orch/serving';

/**
 * Returns a judge that refuses watches whose user has lost the right to them, or whose caller may not impersonate that
 * user any more.
 */
export function rightsCheck(authorizer: Authorizer): WatchCheck {
  return async ({ authentication, user, request, impersonating = [] }) => {
    const needed = [...impersonating.map((right) => [authentication.user, right] as const), [user, request] as const];
    for (const [who, right] of needed) {
      const { decision, reason } = await authorizer.authorize(who, right);
      if (decision !== 'allow') return forbiddenRequest(who, right, reason);
    }
    return undefined;
  };
}
