import { type Decision, forbiddenRequest } from '@orch/authorization';
import type { Names } from '@orch/machinery';
import type { Stage } from './chain.js';
import type { OpenContext } from './new-context.js';

/** Audit annotation for a failure of the authorizer itself (as in the reference). */
const FAILED = 'internal error';

/** Asks the authorizers about a request. @throws what they throw */
export type Decide = (ctx: OpenContext) => Promise<Decision>;

/** Keys of notes for the audit log. */
function keysOf(names: Names) {
  const group = names.group('authorization.orch.io');
  return { decision: `${group}/decision`, reason: `${group}/reason` };
}

/** Has each request asked about once, whichever stage wants to know first. */
export function deciding(names: Names): Decide {
  const keys = keysOf(names);
  return async (ctx) => {
    ctx.decided ??= await decide(ctx, keys.reason);
    return ctx.decided;
  };
}

/** Lets through who may make the request; an audited one has a note of why. @throws StatusError 403 */
export function authorization(names: Names, decideOnce: Decide): Stage {
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
