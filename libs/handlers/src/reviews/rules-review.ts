import { rulesOf } from '@orch/authorization';
import { badRequest } from '@orch/machinery';
import type { SelfSubjectRulesReviewSpec } from '@orch/schema/types/authorization/v1';
import type { RequestContext, ResourceCall } from '@orch/serving';
import type { ApiDeps } from '../deps.js';
import { answerReview, readReview } from './review.js';

/**
 * Handles a SelfSubjectRulesReview: the rules of the caller in a namespace. For display only; each request is
 * authorized by itself.
 */
export async function reviewOwnRules(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  await answerReview(deps, ctx, call, await readReview(deps, ctx, call), ({ spec }) => {
    const { namespace = '' } = (spec ?? {}) as SelfSubjectRulesReviewSpec;
    if (namespace === '') throw badRequest('no namespace on request');
    // The response does not repeat the spec.
    return async () => ({ metadata: {}, spec: {}, status: await rulesIn(ctx, namespace) });
  });
}

async function rulesIn({ access, user }: RequestContext, namespace: string) {
  const { resourceRules, pathRules, incomplete, problems } = await rulesOf(access.authorizer, user, namespace);
  return {
    resourceRules: resourceRules.map(({ resourceNames, ...rule }) => ({
      ...rule,
      ...(resourceNames.length > 0 && { resourceNames }),
    })),
    nonResourceRules: pathRules,
    incomplete,
    ...(problems.length > 0 && { evaluationError: problems.join(', ') }),
  };
}
