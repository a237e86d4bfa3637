import { type ApiObject, ensureMetadata } from '@orch/machinery';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { sendApiObject } from '../representation/send-api-object.js';
import { admitSent, readSent, type SentObject } from '../writing/sent-object.js';

/** The question that was POSTed. @throws StatusError 400, 406, 413, 415, 422 */
export const readReview = (deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<SentObject> =>
  readSent(deps, ctx, call, call.endpoint.definition);

/**
 * Answers with the question and its answer as the status, once admission has nothing against it.
 * @throws StatusError 403 from admission, and what `answer` throws
 */
export async function answerReview(
  deps: ApiDeps,
  ctx: RequestContext,
  call: ResourceCall,
  sent: SentObject,
  answer: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> {
  await admitSent(deps, ctx, call, sent);
  const object: ApiObject = { ...sent.object, status: await answer() };
  ensureMetadata(object).creationTimestamp ??= null;
  await sendApiObject(deps, ctx, 201, call.endpoint.definition.schema, object);
}
