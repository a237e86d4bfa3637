import { formatTime } from '@orch/machinery';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { answerReview, readReview } from './review.js';
import { wireUser } from './token-review.js';

/** Whom the server takes the caller for. */
export async function reviewSelf(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { object, options } = await readReview(deps, ctx, call);
  const { kind = '', apiVersion = '' } = object;
  const metadata = { creationTimestamp: formatTime(Date.now()) };
  const question = { object: { kind, apiVersion, metadata }, options };
  await answerReview(deps, ctx, call, question, async () => ({ userInfo: wireUser(ctx.user) }));
}
