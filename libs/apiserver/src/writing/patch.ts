import { isTooDeep } from '@orch/codec';
import { type ApiObject, badRequest, invalid, invalidValue, type StatusError } from '@orch/machinery';
import { turnFor } from '../decoding/turns.js';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { readBody } from '../http/read-body.js';
import { sendObject } from '../representation/send-object.js';
import { apply } from './apply.js';
import { callerOf } from './caller.js';
import { applyFieldValidation, tooManyValues } from './decode-body.js';
import { readMade } from './made-object.js';
import { holdsTooMany } from './object-checks.js';
import { APPLY, patchType, readPatch } from './patch-document.js';
import { writeOptions } from './write-options.js';
import type { Change } from './write-request.js';

/** PATCH of an object or of one of its subresources of the same kind (spec: "Patch content types"). */
export async function patch(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name, subresource } = call;
  // First of all: by it clients learn which patches there are.
  const type = patchType(ctx.req.headers['content-type'], endpoint.model);
  if (type === APPLY) return apply(deps, ctx, call);
  const options = writeOptions(ctx.query, 'PatchOptions', deps.names);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query);
  const bytes = await readBody(ctx, deps.limits);
  ctx.trail?.mark('received');
  await turnFor(bytes.length);
  const document = readPatch(type, bytes, deps.limits);
  ctx.audit?.patched(bytes);
  await turnFor(bytes.length);
  ctx.trail?.mark('decoded');
  const key = { namespace, name };
  const request = {
    operation: 'UPDATE',
    endpoint,
    key,
    subresource,
    caller: callerOf(ctx),
    options,
    bytes: bytes.length,
  } as const;
  const { model } = endpoint;
  const { maxValues } = deps.limits;
  let problems: readonly string[] = [];
  const change: Change = async (current, turn) => {
    const { kind, apiVersion } = current;
    const patched = document.apply(model, current);
    await turn();
    // Before anybody works on it; what is larger already may stay so.
    if (holdsTooMany(patched as ApiObject, maxValues) && !holdsTooMany(current, maxValues)) {
      throw tooManyValues(maxValues);
    }
    // Operations add to what is deep already; documents that are merged make nothing deeper than the deeper of both.
    if (type === 'application/json-patch+json' && isTooDeep(patched)) throw badRequest('exceeded max depth');
    await turn();
    if (patched.kind !== kind || patched.apiVersion !== apiVersion) {
      throw badRequest('a patch cannot change the kind or the apiVersion of an object');
    }
    const read = await readMade(model, patched, unreadable);
    problems = [...document.problems, ...read.problems];
    if (options.fieldValidation === 'Strict') applyFieldValidation(problems, 'Strict', ctx.warnings);
    return read.object;
  };
  const { stored } = await deps.pipeline.write(request, { change });
  applyFieldValidation(problems, options.fieldValidation, ctx.warnings);
  await sendObject(ctx, 200, representation, stored);
}

/** In the place of a value that nobody should read where messages are kept, such as the audit log. */
const UNSAID = '...';

/**
 * What a patch has made of an object is told as that of no kind at all, as the release tells it, which quotes the whole object: a Secret,
 * say, with all of its data.
 */
const unreadable = (message: string): StatusError => invalid('', '', '', [invalidValue('patch', UNSAID, message)]);
