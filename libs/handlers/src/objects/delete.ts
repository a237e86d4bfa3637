import type { Endpoint } from '@orch/resources';
import { type RequestContext, type ResourceCall, readBody, sendObject, sendStatus } from '@orch/serving';
import { callerOf, type DeletionOptions, removalAnswer } from '@orch/writing';
import { readingOf } from '../bodies/decode-body.js';
import { deleteOptions } from '../bodies/delete-options.js';
import type { ApiDeps } from '../deps.js';

/**
 * Reads the options of a deletion from body and query. Adds a warning where the kind recommends a policy and none is
 * given.
 */
export async function readDeleteOptions(
  deps: ApiDeps,
  ctx: RequestContext,
  { storageRules: { deletionWarning } }: Endpoint,
): Promise<DeletionOptions> {
  const body = await readBody(ctx, deps.limits);
  ctx.trail?.mark('received');
  const options = await deleteOptions({
    body,
    contentType: ctx.req.headers['content-type'],
    query: ctx.query,
    schema: deps.scheme.struct('meta/v1.DeleteOptions'),
    names: deps.names,
    reading: readingOf(deps, ctx),
  });
  ctx.trail?.mark('decoded');
  if (deletionWarning !== undefined && options.propagationPolicy === undefined) ctx.warnings.push(deletionWarning);
  return options;
}

/**
 * Handles DELETE of one object: responds with the object while something keeps it; once it is gone with what its kind
 * declares, mostly a Status.
 */
export async function remove(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query);
  const options = await readDeleteOptions(deps, ctx, endpoint);
  const removal = await deps.remover.remove(endpoint, { namespace, name }, options, callerOf(ctx));
  const answer = removalAnswer(endpoint, name, removal);
  if ('stored' in answer) return sendObject(ctx, 200, representation, answer.stored);
  sendStatus(ctx, answer.status, deps.representations);
}
