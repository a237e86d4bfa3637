import { stringifyJson } from '@orch/codec';
import type { ScaleRules } from '@orch/kinds';
import { type ApiObject, formatApiVersion, invalid, invalidValue, notFound } from '@orch/machinery';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { readBody } from '../http/read-body.js';
import { getFreshness } from '../reading/read-options.js';
import { sendApiObject } from '../representation/send-api-object.js';
import { servedObject } from '../representation/shape.js';
import type { Stored } from '../served/endpoint.js';
import { callerOf } from './caller.js';
import { applyFieldValidation, bodyEncoding, decodeBody, type ExpectedType, readingOf } from './decode-body.js';
import { requireUid } from './object-checks.js';
import { patchType, readPatch } from './patch-document.js';
import { type WriteOptions, writeOptions } from './write-options.js';
import type { Change } from './write-request.js';

type MakeScale = (scale: ApiObject) => ApiObject | Promise<ApiObject>;

function scaleType(deps: ApiDeps, call: ResourceCall): ExpectedType {
  const declared = call.endpoint.definition.subresources.find((sub) => sub.name === 'scale');
  const { group, version, kind } = declared ?? { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return { group, version, kind, schema: deps.scheme.struct('autoscaling/v1.Scale') };
}

/** The Scale view of an object in its served version. */
function scaleView(call: ResourceCall, type: ExpectedType, object: ApiObject): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {};
  const { replicas, statusReplicas, selector } = scaleRules(call).read(object);
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

function scaleRules({ endpoint, name }: ResourceCall): ScaleRules {
  const { scale } = endpoint.rules;
  if (!scale) throw notFound(endpoint.groupResource, name);
  return scale;
}

/** @throws StatusError 422 for a count that is none */
function replicasOf(scale: ApiObject): number {
  const replicas = (scale.spec as { replicas?: number } | undefined)?.replicas ?? 0;
  if (replicas < 0) {
    const error = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid('Scale', 'autoscaling', scale.metadata?.name ?? '', [error]);
  }
  return replicas;
}

export async function getScale(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const type = scaleType(deps, call);
  const stored = await deps.reader.get(endpoint.type, { namespace, name }, getFreshness(ctx.query));
  if (!stored) throw notFound(endpoint.groupResource, name);
  await sendScale(deps, ctx, call, type, stored);
}

export async function updateScale(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const options = writeOptions(ctx.query, 'UpdateOptions', deps.names);
  const type = scaleType(deps, call);
  const encoding = bodyEncoding(ctx.req.headers['content-type'], deps.names);
  const bytes = await readBody(ctx, deps.limits.maxBodyBytes);
  ctx.trail?.mark('received');
  const { object, problems } = await decodeBody(readingOf(deps, ctx), bytes, encoding, type);
  ctx.trail?.mark('decoded');
  applyFieldValidation(problems, options.fieldValidation, ctx.warnings);
  await writeScale(deps, ctx, call, type, options, () => object);
}

export async function patchScale(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const media = patchType(ctx.req.headers['content-type']);
  const options = writeOptions(ctx.query, 'PatchOptions', deps.names);
  const type = scaleType(deps, call);
  const bytes = await readBody(ctx, deps.limits.maxBodyBytes);
  ctx.trail?.mark('received');
  const document = readPatch(media, bytes, deps.limits);
  ctx.trail?.mark('decoded');
  await writeScale(deps, ctx, call, type, options, async (scale) => {
    const patched = Buffer.from(stringifyJson(document.apply(type.schema, scale)));
    const { object, problems } = await decodeBody(readingOf(deps, ctx), patched, 'json', type);
    applyFieldValidation([...document.problems, ...problems], options.fieldValidation, ctx.warnings);
    return object;
  });
}

async function writeScale(
  deps: ApiDeps,
  ctx: RequestContext,
  call: ResourceCall,
  type: ExpectedType,
  options: WriteOptions,
  make: MakeScale,
): Promise<void> {
  const { endpoint, namespace, name } = call;
  const key = { namespace, name };
  const request = {
    operation: 'UPDATE',
    endpoint,
    key,
    subresource: 'scale',
    caller: callerOf(ctx),
    options,
  } as const;
  const change: Change = async (current) => {
    const wanted = await make(scaleView(call, type, current));
    // What the client says of the object it means is judged as for the object itself.
    requireUid(endpoint, wanted, current);
    const { name: named = '', namespace: within, resourceVersion } = wanted.metadata ?? {};
    current.metadata = {
      ...current.metadata,
      name: named,
      ...(within && { namespace: within }),
      ...(resourceVersion && { resourceVersion }),
    };
    scaleRules(call).write(current, replicasOf(wanted));
    return current;
  };
  const { stored } = await deps.pipeline.write(request, { change });
  await sendScale(deps, ctx, call, type, stored);
}

function sendScale(deps: ApiDeps, ctx: RequestContext, call: ResourceCall, type: ExpectedType, stored: Stored) {
  return sendApiObject(deps, ctx, 200, type.schema, scaleView(call, type, servedObject(call.endpoint, stored)));
}
