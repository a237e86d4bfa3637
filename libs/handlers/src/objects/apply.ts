import { type ApiObject, badRequest, conflict, type JsonObject } from '@orch/machinery';
import { ApplyError, type View } from '@orch/merge';
import { type Endpoint, tooManyValues } from '@orch/resources';
import { Slices } from '@orch/runtime/work';
import { type RequestContext, type ResourceCall, readBody, sendObject } from '@orch/serving';
import { callerOf, holdsTooMany, type Modification, namedVersion, readMade } from '@orch/writing';
import { readApplied, refuseRepeated } from '../bodies/applied-configuration.js';
import { type ApplyOptions, applyOptions } from '../bodies/write-options.js';
import type { ApiDeps } from '../deps.js';

/** PATCH as a server-side apply: makes the object where there is none (spec: "Server-side apply"). */
export async function apply(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name, subresource } = call;
  const options = applyOptions(ctx.query, deps.names);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'object');
  const bytes = await readBody(ctx, deps.limits);
  ctx.trail?.mark('received');
  const applied = await readApplied(deps, ctx, bytes);
  ctx.trail?.mark('decoded');
  refuseRepeated(applied, options, ctx.warnings);
  const request = {
    operation: 'UPDATE',
    endpoint,
    key: { namespace, name },
    subresource,
    caller: callerOf(ctx),
    options,
    changeKind: 'apply',
    hints: { namesVersion: namedVersion(applied.object as ApiObject) !== '', bytes: bytes.length },
  } as const;
  const merge = merging(deps, call, applied.object, options);
  const create = async () => {
    await ctx.authorize({ ...ctx.info, verb: 'create' });
    requireNoUid(endpoint, name, applied.object);
    return merge(undefined);
  };
  const make: Modification = { change: merge, ...(subresource === '' && { create }) };
  const { stored, created } = await deps.pipeline.write(request, make);
  await sendObject(ctx, created ? 201 : 200, representation, stored);
}

/**
 * Returns a function that merges an applied configuration into the live object, or makes an object of it.
 * @param view form of the object that the configuration describes, where that is not the object itself
 * @throws StatusError 400 for an invalid object, 409 for conflicts with other managers' fields, 413
 */
export function merging(
  deps: ApiDeps,
  { endpoint, subresource }: ResourceCall,
  applied: JsonObject,
  options: ApplyOptions,
  view?: View,
) {
  const manager = endpoint.fieldManagers(subresource);
  const { maxValues } = deps.limits;
  return async (live: ApiObject | undefined): Promise<ApiObject> => {
    const { fieldManager, force } = options;
    const application = { manager: fieldManager, force, now: new Date(deps.now()), ...(view && { view }) };
    const slices = new Slices();
    const pause = () => slices.between();
    const merged = await manager.applyAsync(live as JsonObject | undefined, applied, application, pause).catch(refused);
    await pause();
    const { object } = await readMade(endpoint.model, merged);
    await pause();
    if (holdsTooMany(object, maxValues) && !(live && holdsTooMany(live, maxValues))) throw tooManyValues(maxValues);
    return object;
  };
}

/** Maps errors of the applied configuration to 400. */
function refused(error: unknown): never {
  throw error instanceof ApplyError ? badRequest(error.message) : error;
}

/** Refuses a uid where the object does not exist: it names an object that is gone. @throws StatusError 409 */
function requireNoUid({ groupResource }: Endpoint, name: string, applied: JsonObject): void {
  const uid: unknown = (applied as ApiObject).metadata?.uid ?? '';
  if (typeof uid !== 'string' || uid === '') return;
  const mismatch = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(groupResource, name, mismatch);
}
