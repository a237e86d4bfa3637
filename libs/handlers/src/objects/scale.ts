import { stringifyJson } from '@orch/codec';
import { ScaleError, type ScaleRules } from '@orch/kinds';
import {
  type ApiObject,
  badRequest,
  formatApiVersion,
  invalid,
  invalidValue,
  type JsonObject,
  notFound,
  StatusError,
} from '@orch/machinery';
import { pathsOf } from '@orch/merge';
import { getFreshness } from '@orch/reading';
import { DeclaredModel, type Endpoint, inServedVersion, type Stored, servedObject } from '@orch/resources';
import { APPLY_PATCH } from '@orch/schema';
import { type RequestContext, type ResourceCall, readBody, sendApiObject } from '@orch/serving';
import { callerOf, readMade, requireUid, type UpdateFunction } from '@orch/writing';
import { applyFieldValidation, bodyEncoding, decodeBody, readingOf } from '../bodies/decode-body.js';
import { patchType, readPatch } from '../bodies/patch-document.js';
import { keepType } from '../bodies/patched-type.js';
import { judgeRepeated, readSaid } from '../bodies/said.js';
import { applyOptions, type WriteOptions, writeOptions } from '../bodies/write-options.js';
import type { ApiDeps } from '../deps.js';
import { merging } from './apply.js';

/** Endpoint and name of the object whose scale is read or written. */
type ScaledObject = Pick<ResourceCall, 'endpoint' | 'name'>;

type MakeScale = (scale: ApiObject) => ApiObject | Promise<ApiObject>;

/**
 * The kind that the scale subresource of an endpoint is served as; `autoscaling/v1` Scale unless its definition
 * declares another.
 */
export function scaleType(deps: Pick<ApiDeps, 'scheme'>, call: Pick<ResourceCall, 'endpoint'>): DeclaredModel {
  const declared = call.endpoint.definition.subresources.find((sub) => sub.name === 'scale');
  const type = declared ?? { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return new DeclaredModel(type, deps.scheme.struct('autoscaling/v1.Scale'));
}

/** Fields of a scale that an apply may set, by its own names. */
const REPLICAS = pathsOf([['spec', 'replicas']]);

/** The replicas of an object that names none, while they are patched. */
const UNSET = -(2 ** 31);

/** The Scale view of an object in its served version. @param unset replicas of one that names none */
export function scaleView(call: ScaledObject, type: DeclaredModel, object: ApiObject, unset = 0): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {};
  const { replicas = unset, statusReplicas, selector } = scaling(() => scaleRules(call).read(object));
  return {
    kind: type.kind,
    apiVersion: formatApiVersion(type),
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(creationTimestamp && { creationTimestamp }),
    },
    spec: { replicas },
    status: { replicas: statusReplicas, ...(selector && { selector }) },
  };
}

function scaleRules({ endpoint, name }: ScaledObject): ScaleRules {
  const { scale } = endpoint.rules;
  if (!scale) throw notFound(endpoint.groupResource, name);
  return scale;
}

/**
 * Runs an action on the scale fields of an object.
 * @throws StatusError 500 where an object of a custom kind has no numbers there
 */
function scaling<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof ScaleError)) throw error;
    throw new StatusError('InternalError', error.message);
  }
}

/**
 * Sets the number of replicas in an object of the served version, in place.
 * @throws StatusError 404 for a kind without scale; 500 for an object of a custom kind that has no place for it
 */
export function writeReplicas(call: ScaledObject, object: ApiObject, replicas: number): void {
  scaling(() => scaleRules(call).write(object, replicas));
}

/**
 * Reads the wanted number of replicas from a Scale; 0 where it is absent.
 * @throws StatusError 422 for a negative number
 */
export function replicasOf(scale: ApiObject): number {
  const replicas = (scale.spec as { replicas?: number } | undefined)?.replicas ?? 0;
  if (replicas < 0) {
    const error = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid('Scale', 'autoscaling', scale.metadata?.name ?? '', [error]);
  }
  return replicas;
}

/** Handles GET of a scale. */
export async function getScale(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const type = scaleType(deps, call);
  const stored = await deps.reader.get(endpoint.type, { namespace, name }, getFreshness(ctx.query));
  if (!stored) throw notFound(endpoint.groupResource, name);
  const served = await inServedVersion(endpoint, stored);
  if (!endpoint.model.struct) requireReplicas(call, servedObject(endpoint, served));
  await sendScale(deps, ctx, call, type, served);
}

/** Built-in kinds always have them. @throws StatusError 500, as the reference (registry/customresource/etcd.go) */
function requireReplicas(call: ResourceCall, object: ApiObject): void {
  const rules = scaleRules(call);
  if (scaling(() => rules.read(object)).replicas !== undefined) return;
  const missing = `the spec replicas field "${rules.replicasPath}" does not exist`;
  throw new StatusError('InternalError', `Internal error occurred: ${missing}`);
}

/** Handles PUT of a scale. */
export async function updateScale(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const options = writeOptions(ctx.query, 'UpdateOptions', deps.names);
  const type = scaleType(deps, call);
  const encoding = bodyEncoding(ctx.req.headers['content-type'], deps.names, type);
  const bytes = await readBody(ctx, deps.limits);
  ctx.trail?.mark('received');
  const { object, problems } = await decodeBody(readingOf(deps, ctx), bytes, encoding, type);
  ctx.trail?.mark('decoded');
  applyFieldValidation(problems, options.fieldValidation, ctx.warnings, type);
  await writeScale(
    deps,
    ctx,
    call,
    type,
    { options },
    replacing(call, type, () => object),
  );
}

/** Handles PATCH of a scale, apply included. */
export async function patchScale(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const media = patchType(ctx.req.headers['content-type'], call.endpoint.model);
  if (media === APPLY_PATCH) return applyScale(deps, ctx, call);
  const options = writeOptions(ctx.query, 'PatchOptions', deps.names);
  const type = scaleType(deps, call);
  const bytes = await readBody(ctx, deps.limits);
  ctx.trail?.mark('received');
  const document = readPatch(media, bytes, deps.limits);
  ctx.audit?.patched(bytes);
  ctx.trail?.mark('decoded');
  const patch: MakeScale = async (scale) => {
    const { kind, apiVersion } = scale;
    const made = document.apply(type, scale);
    keepType(media, made, { kind, apiVersion, name: call.name }, type);
    const patched = Buffer.from(stringifyJson(made));
    const { object, problems } = await decodeBody(readingOf(deps, ctx), patched, 'json', type);
    applyFieldValidation([...document.problems, ...problems], options.fieldValidation, ctx.warnings);
    return object;
  };
  await writeScale(deps, ctx, call, type, { options }, replacing(call, type, patch));
}

/** Applies a Scale: field ownership of its replicas becomes ownership of the object's replicas. */
async function applyScale(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const options = applyOptions(ctx.query, deps.names);
  const type = scaleType(deps, call);
  const sent = await readSaid(deps, ctx, await readBody(ctx, deps.limits));
  ctx.trail?.mark('decoded');
  judgeRepeated(sent, options, ctx.warnings);
  const said = await saidOfScale(type, sent.object);
  const { apiVersion, definition } = call.endpoint;
  const parent: ApiObject = { apiVersion, kind: definition.kind };
  if (said.spec !== undefined) writeReplicas(call, parent, replicasOf(said));
  const view = { apiVersion: formatApiVersion(type), fields: REPLICAS };
  const merge = merging(deps, call, parent as JsonObject, options, view);
  await writeScale(deps, ctx, call, type, { options, changeKind: 'apply' }, async (current) => {
    const merged = await merge(current);
    nameAsMeant(call.endpoint, said, merged);
    return merged;
  });
}

/** Reads an applied Scale. @throws StatusError 400 for another type, unknown fields and managedFields */
async function saidOfScale(type: DeclaredModel, said: JsonObject): Promise<ApiObject> {
  const { apiVersion, kind } = said;
  const expected = formatApiVersion(type);
  if (apiVersion !== expected) {
    const specified = typeof apiVersion === 'string' ? apiVersion : '';
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${specified}, expected: ${expected}`,
    );
  }
  if (kind !== type.kind) throw badRequest(`an apply of a ${type.kind} says nothing of another kind`);
  const { object, problems } = await readMade(type, said);
  if (problems.length > 0) throw badRequest(problems.join(', '));
  if (object.metadata?.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  return object;
}

/** Puts the scale that is made of an object's own in its place. */
const replacing =
  (call: ResourceCall, type: DeclaredModel, make: MakeScale): UpdateFunction =>
  async (current) => {
    const wanted = await make(scaleView(call, type, current, UNSET));
    nameAsMeant(call.endpoint, wanted, current);
    if ((wanted.spec as { replicas?: number } | undefined)?.replicas === UNSET) throw emptyReplicas(call);
    writeReplicas(call, current, replicasOf(wanted));
    return current;
  };

const emptyReplicas = (call: ResourceCall): StatusError =>
  badRequest(`the spec replicas field ${JSON.stringify(scaleRules(call).replicasPath)} cannot be empty`);

/**
 * Copies name and resource version of a Scale to the object, where they are validated as those of the object itself.
 * @throws StatusError 409 for another uid
 */
function nameAsMeant(endpoint: Endpoint, scale: ApiObject, object: ApiObject): void {
  requireUid(endpoint, scale, object);
  const { name = '', namespace, resourceVersion } = scale.metadata ?? {};
  object.metadata = {
    ...object.metadata,
    name,
    ...(namespace && { namespace }),
    ...(resourceVersion && { resourceVersion }),
  };
}

async function writeScale(
  deps: ApiDeps,
  ctx: RequestContext,
  call: ResourceCall,
  type: DeclaredModel,
  how: { readonly options: WriteOptions; readonly changeKind?: 'apply' },
  change: UpdateFunction,
): Promise<void> {
  const { endpoint, namespace, name } = call;
  const key = { namespace, name };
  const request = { operation: 'UPDATE', endpoint, key, subresource: 'scale', caller: callerOf(ctx), ...how } as const;
  const { stored } = await deps.pipeline.write(request, { change });
  await sendScale(deps, ctx, call, type, stored);
}

function sendScale(deps: ApiDeps, ctx: RequestContext, call: ResourceCall, type: DeclaredModel, stored: Stored) {
  return sendApiObject(deps, ctx, 200, type.struct, scaleView(call, type, servedObject(call.endpoint, stored)));
}
