import { type Attributes, admit, type OperationOptions, Reinvocation, type Target, validate } from '@orch/admission';
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
export const admitSent = <T>(
  deps: ApiDeps,
  ctx: RequestContext,
  call: ResourceCall,
  sent: SentObject,
  settle: (object: ApiObject) => T | Promise<T>,
): Promise<T> => admitted(deps, ctx, { ...call, operation: 'CREATE' }, sent, settle);

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
): Promise<ApiObject> =>
  admitted(deps, ctx, { ...call, operation: 'CONNECT' }, { ...sent, options: { dryRun: false } }, (object) => object);

async function admitted<T>(
  deps: ApiDeps,
  ctx: RequestContext,
  { endpoint, namespace, name, subresource, operation }: ResourceCall & Pick<Target, 'operation'>,
  sent: Admitted,
  settle: (object: ApiObject) => T | Promise<T>,
): Promise<T> {
  const { group, version, resource } = endpoint.definition;
  const { object } = sent;
  const { kind = '' } = object;
  const target: Target = { operation, group, version, resource, kind, subresource, namespace, name };
  const plugins = deps.admission.select(() => target);
  const reinvocation = new Reinvocation();
  const attributes = attributesOf(ctx, target, sent, reinvocation);
  if (plugins.mutating.length > 0) await admit(plugins, attributes, reinvocation);
  const settled = await settle(object);
  if (plugins.validating.length > 0)
    await validate(plugins, { ...attributes, object: plugins.readOnly ? object : copy(object) });
  return settled;
}

/** An object that is admitted and not stored, with the options of its request. */
type Admitted = Pick<SentObject, 'object' | 'model'> & { readonly options: OperationOptions };

function attributesOf(
  ctx: RequestContext,
  target: Target,
  { object, options, model }: Admitted,
  reinvocation: Reinvocation,
): Attributes {
  const caller = callerOf(ctx);
  const { user, warnings, annotations, deadline } = caller;
  return {
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
}
