import { wireUser } from '@orch/authentication';
import { formatTime } from '@orch/machinery';
import type { RequestContext, ResourceCall } from '@orch/serving';
import type { ApiDeps } from '../deps.js';
import { answerReview, readReview } from './review.js';

/** Answers a SelfSubjectReview: the user that the server takes the caller for. */
export async function reviewSelf(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const sent = await readReview(deps, ctx, call);
  await answerReview(deps, ctx, call, sent, () => async () => ({
    metadata: { creationTimestamp: formatTime(Date.now()) },
    status: { userInfo: wireUser(ctx.user) },
  }));
}
