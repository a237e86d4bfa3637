import { type ApiObject, badRequest, ensureMetadata } from '@orch/machinery';
import type { ObjectModel } from '@orch/resources';
import { inSlices } from '@orch/runtime/work';
import { type RequestContext, type ResourceCall, readBody } from '@orch/serving';
import { type ActionTarget, admitAction, callerOf, type SentAction } from '@orch/writing';
import type { ApiDeps } from '../deps.js';
import { applyFieldValidation, bodyEncoding, decodeBody, readingOf } from './decode-body.js';
import { type WriteOptions, writeOptions } from './write-options.js';

/** A posted object that is not stored itself but requests an action or an answer. */
export interface SentObject extends SentAction {
  /** Options from the query. */
  readonly options: WriteOptions;
}

/**
 * @throws StatusError 400, 406, 413, 415, 422 for what cannot be read, stands in another namespace, or cannot be
 * answered
 */
export async function readSent(
  deps: ApiDeps,
  ctx: RequestContext,
  { endpoint, namespace }: ResourceCall,
  model: ObjectModel,
): Promise<SentObject> {
  const options = writeOptions(ctx.query, 'CreateOptions', deps.names);
  deps.representations.plain(ctx.req.headers.accept);
  const encoding = bodyEncoding(ctx.req.headers['content-type'], deps.names, model);
  const bytes = await readBody(ctx, deps.limits);
  ctx.trail?.mark('received');
  const { object, problems } = await decodeBody(readingOf(deps, ctx), bytes, encoding, model);
  ctx.trail?.mark('decoded');
  applyFieldValidation(problems, options.fieldValidation, ctx.warnings, model);
  await inSlices(model.fillDefaults(object));
  const meta = ensureMetadata(object);
  if (!endpoint.definition.namespaced) delete meta.namespace;
  else if (meta.namespace && meta.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  else meta.namespace = namespace;
  return { object, options, model };
}

/**
 * Runs admission for the creation of a sent object, under the name in the path.
 * @param settle validates the object as mutating plugins have left it, and returns the outcome; validating plugins run
 * after it
 * @throws StatusError of the plugin that refuses, and whatever `settle` throws
 */
export const admitSent = <T>(
  deps: ApiDeps,
  ctx: RequestContext,
  call: ResourceCall,
  sent: SentObject,
  settle: (object: ApiObject) => T | Promise<T>,
): Promise<T> => admitAction(deps.admission, callerOf(ctx), creationTarget(call), sent, settle);

/**
 * Runs admission for a connection to a pod, a service or a node, with the options of the request as its object.
 * @returns the options as mutating plugins have left them
 * @throws StatusError of the plugin that refuses
 */
export const admitConnection = (
  deps: ApiDeps,
  ctx: RequestContext,
  call: ResourceCall,
  sent: Pick<SentObject, 'object' | 'model'>,
): Promise<ApiObject> => {
  const target = { ...creationTarget(call), operation: 'CONNECT' } as const;
  return admitAction(
    deps.admission,
    callerOf(ctx),
    target,
    { ...sent, options: { dryRun: false } },
    (object) => object,
  );
};

/** Returns the resource that an object was sent to which asks for an action. */
export function creationTarget({ endpoint, namespace, name, subresource }: ResourceCall): ActionTarget {
  const { group, version, resource } = endpoint.definition;
  return { operation: 'CREATE', group, version, resource, subresource, namespace, name };
}
