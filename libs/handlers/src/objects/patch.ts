import { isTooDeep } from '@orch/codec';
import { type ApiObject, badRequest } from '@orch/machinery';
import { tooManyValues } from '@orch/resources';
import { turnFor } from '@orch/runtime/work';
import { APPLY_PATCH } from '@orch/schema';
import { type RequestContext, type ResourceCall, readBody, sendObject } from '@orch/serving';
import { callerOf, holdsTooMany, type UpdateFunction } from '@orch/writing';
import { applyFieldValidation } from '../bodies/decode-body.js';
import { patchType, readPatch } from '../bodies/patch-document.js';
import { keepType, readPatched } from '../bodies/patched-type.js';
import { writeOptions } from '../bodies/write-options.js';
import type { ApiDeps } from '../deps.js';
import { apply } from './apply.js';

/** PATCH of an object or of one of its subresources of the same kind (spec: "Patch content types"). */
export async function patch(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name, subresource } = call;
  // First of all: by it clients learn which patches there are.
  const type = patchType(ctx.req.headers['content-type'], endpoint.model);
  if (type === APPLY_PATCH) return apply(deps, ctx, call);
  const options = writeOptions(ctx.query, 'PatchOptions', deps.names);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'object');
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
    hints: { bytes: bytes.length },
  } as const;
  const { model, otherVersion } = endpoint;
  const { maxValues } = deps.limits;
  let problems: readonly string[] = [];
  const change: UpdateFunction = async (current, turn) => {
    const { kind, apiVersion } = current;
    // Patches are applied in place.
    const wasTooMany = holdsTooMany(current, maxValues);
    const patched = document.apply(model, current);
    await turn();
    // Checked before further work; an object that is larger already may stay so.
    if (!wasTooMany && holdsTooMany(patched as ApiObject, maxValues)) throw tooManyValues(maxValues);
    // Operations may add depth to a deep object; merged documents are no deeper than the deeper of the two.
    if (type === 'application/json-patch+json' && isTooDeep(patched)) throw badRequest('exceeded max depth');
    await turn();
    const other = keepType(type, patched, { kind, apiVersion, name, otherVersion }, model);
    const read = await readPatched(model, patched, other);
    problems = [...document.problems, ...read.problems];
    if (options.fieldValidation === 'Strict') applyFieldValidation(problems, 'Strict', ctx.warnings);
    return read.object;
  };
  // Warnings are sent with other errors, too; at `Strict` these fields are the error.
  const { stored } = await deps.pipeline.write(request, { change }).finally(() => {
    if (options.fieldValidation === 'Warn') applyFieldValidation(problems, 'Warn', ctx.warnings);
  });
  await sendObject(ctx, 200, representation, stored);
}
