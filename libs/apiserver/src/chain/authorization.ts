import { forbiddenRequest } from '@orch/authorization';
import type { Names } from '@orch/machinery';
import type { Stage } from './chain.js';
import type { OpenContext } from './new-context.js';

/** What is noted where the authorizer itself has failed (as in the reference). */
const FAILED = 'internal error';

/** Lets through who may make the request; an audited one has a note of why. @throws StatusError 403 */
export function authorization(names: Names): Stage {
  const group = names.group('authorization.orch.io');
  const [decisionKey, reasonKey] = [`${group}/decision`, `${group}/reason`];
  return async (ctx) => {
    const { decision, reason } = await decide(ctx, reasonKey);
    const isAllowed = decision === 'allow';
    if (ctx.audit) {
      ctx.annotations.set(decisionKey, isAllowed ? 'allow' : 'forbid');
      ctx.annotations.set(reasonKey, reason);
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
