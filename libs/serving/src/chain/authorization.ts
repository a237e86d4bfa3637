import { type Decision, forbiddenRequest } from '@orch/authorization';
import type { Names } from '@orch/machinery';
import type { ChainStage } from './chain.js';
import type { OpenContext } from './new-context.js';

/** Audit annotation for a failure of the authorizer itself (as in the reference). */
const FAILED = 'internal error';

/** Authorizes a request. @throws errors of the authorizers */
export type Decide = (ctx: OpenContext) => Promise<Decision>;

/** Keys of annotations for the audit log. */
function keysOf(names: Names) {
  const group = names.group('authorization.orch.io');
  return { decision: `${group}/decision`, reason: `${group}/reason` };
}

/** Authorizes each request once, for the first stage that needs the decision. */
export function deciding(names: Names): Decide {
  const keys = keysOf(names);
  return async (ctx) => {
    ctx.decided ??= await decide(ctx, keys.reason);
    return ctx.decided;
  };
}

/** Rejects requests that are not authorized, and annotates audited ones with the reason. @throws StatusError 403 */
export function authorization(names: Names, decideOnce: Decide): ChainStage {
  const keys = keysOf(names);
  return async (ctx) => {
    const { decision, reason } = await decideOnce(ctx);
    const isAllowed = decision === 'allow';
    if (ctx.audit) {
      ctx.annotations.set(keys.decision, isAllowed ? 'allow' : 'forbid');
      ctx.annotations.set(keys.reason, reason);
    }
    if (!isAllowed) throw forbiddenRequest(ctx.user, ctx.info, reason);
  };
}

async function decide({ access, user, info, audit, annotations }: OpenContext, reasonKey: string) {
  try {
    return await access.authorizer.authorize(user, info);
  } catch (error) {
    if (audit) annotations.set(reasonKey, FAILED);
    throw error;
  }
}
