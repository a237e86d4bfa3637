import { type Attributes, admit, Reinvocation, type Target, validate } from '@orch/admission';
import { type ApiObject, badRequest, copy, ensureMetadata } from '@orch/machinery';
import type { ObjectModel } from '@orch/resources';
import { inSlices } from '@orch/runtime/work';
import { type RequestContext, type ResourceCall, readBody } from '@orch/serving';
import { authorizerOf, callerOf } from '@orch/writing';
import type { ApiDeps } from '../deps.js';
import { applyFieldValidation, bodyEncoding, decodeBody, readingOf } from './decode-body.js';
import { type WriteOptions, writeOptions } from './write-options.js';

/** A posted object that is not stored itself but requests an action or an answer: a Binding, an Eviction, a review. */
export interface SentObject {
  /** With defaults, in the namespace of the request. */
  readonly object: ApiObject;
  /** Options from the query. */
  readonly options: WriteOptions;
  /** Schema of the object. */
  readonly model: ObjectModel;
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
export async function admitSent<T>(
  deps: ApiDeps,
  ctx: RequestContext,
  { endpoint, namespace, name, subresource }: ResourceCall,
  { object, options, model }: SentObject,
  settle: (object: ApiObject) => T | Promise<T>,
): Promise<T> {
  const { group, version, resource } = endpoint.definition;
  const { kind = '' } = object;
  const target: Target = { operation: 'CREATE', group, version, resource, kind, subresource, namespace, name };
  const plugins = deps.admission.select(() => target);
  const caller = callerOf(ctx);
  const { user, warnings, annotations, deadline } = caller;
  const reinvocation = new Reinvocation();
  const attributes: Attributes = {
    ...target,
    object,
    oldObject: undefined,
    options,
    user,
    authorizer: authorizerOf(caller),
    deadline,
    get isReinvocation() {
      return reinvocation.isReinvocation;
    },
    reinvoke: () => reinvocation.ask(),
    setDefaults: async () => void (await inSlices(model.fillDefaults(object))),
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => annotations.noteOnce(key, value),
    annotateBody: (key, text) => caller.noteBody?.(key, text()),
    ...(caller.skipsWebhooks && { skipsWebhooks: true }),
  };
  if (plugins.mutating.length > 0) await admit(plugins, attributes, reinvocation);
  const settled = await settle(object);
  if (plugins.validating.length > 0)
    await validate(plugins, { ...attributes, object: plugins.readOnly ? object : copy(object) });
  return settled;
}
