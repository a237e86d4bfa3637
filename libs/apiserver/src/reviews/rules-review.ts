import { rulesOf } from '@orch/authorization';
import { badRequest } from '@orch/machinery';
import type { SelfSubjectRulesReviewSpec } from '@orch/schema/types/authorization/v1';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { answerReview, readReview } from './review.js';

/** What the caller may do in a namespace. For display: what is decided is decided request by request. */
export async function reviewOwnRules(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const sent = await readReview(deps, ctx, call);
  const { namespace = '' } = (sent.object.spec ?? {}) as SelfSubjectRulesReviewSpec;
  if (namespace === '') throw badRequest('no namespace on request');
  // What was asked is not said again.
  const question = { ...sent, object: { ...sent.object, metadata: {}, spec: {} } };
  await answerReview(deps, ctx, call, question, async () => {
    const { resourceRules, pathRules, problems } = await rulesOf(ctx.access.authorizer, ctx.user, namespace);
    return {
      resourceRules: resourceRules.map(({ resourceNames, ...rule }) => ({
        ...rule,
        ...(resourceNames.length > 0 && { resourceNames }),
      })),
      nonResourceRules: pathRules,
      incomplete: problems.length > 0,
      ...(problems.length > 0 && { evaluationError: problems.join(', ') }),
    };
  });
}
