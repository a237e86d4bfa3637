import { type ApiObject, ensureMetadata } from '@orch/machinery';
import { type RequestContext, type ResourceCall, sendApiObject } from '@orch/serving';
import { admitSent, readSent, type SentObject } from '../bodies/sent-object.js';
import type { ApiDeps } from '../deps.js';

/** Reads the review that was posted. @throws StatusError 400, 406, 413, 415, 422 */
export const readReview = (deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<SentObject> =>
  readSent(deps, ctx, call, call.endpoint.model);

/** Computes the fields of the response that replace those of the request, `status` among them. */
type Answer = () => Promise<Partial<ApiObject>>;

/**
 * Responds to a review after its admission.
 * @param judge validates the review as plugins have left it, and returns the function that computes the response
 * @throws StatusError 403 from admission, and whatever `judge` and that function throw
 */
export async function answerReview(
  deps: ApiDeps,
  ctx: RequestContext,
  call: ResourceCall,
  sent: SentObject,
  judge: (question: ApiObject) => Answer,
): Promise<void> {
  const answer = await admitSent(deps, ctx, call, sent, judge);
  const object: ApiObject = { ...sent.object, ...(await answer()) };
  ensureMetadata(object).creationTimestamp ??= null;
  const { struct } = call.endpoint.model;
  if (!struct) throw new Error('reviews are of declared kinds');
  await sendApiObject(deps, ctx, 201, struct, object);
}
