import { type Authorizer, forbiddenRequest } from '@orch/authorization';
import type { WatchJudge } from '@orch/serving';

/** Refuses watches whose user may not have them any more, and those of a caller who may not act as that user any more. */
export function judgeOfRights(authorizer: Authorizer): WatchJudge {
  return async ({ authentication, user, request, impersonating = [] }) => {
    const needed = [...impersonating.map((right) => [authentication.user, right] as const), [user, request] as const];
    for (const [who, right] of needed) {
      const { decision, reason } = await authorizer.authorize(who, right);
      if (decision !== 'allow') return forbiddenRequest(who, right, reason);
    }
    return undefined;
  };
}
