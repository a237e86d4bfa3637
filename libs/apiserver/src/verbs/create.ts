import { badRequest, ensureMetadata } from '@orch/machinery';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { readBody } from '../http/read-body.js';
import { applyFieldValidation, bodyEncoding, decodeBody } from '../writing/decode-body.js';
import { writeOptions } from '../writing/write-options.js';
import { sendObject } from './send-object.js';

/** POST to a collection. */
export async function create(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace } = call;
  const options = writeOptions(ctx.query, 'CreateOptions', deps.names);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query);
  const encoding = bodyEncoding(ctx.req.headers['content-type'], deps.names);
  const bytes = await readBody(ctx.req, deps.limits.maxBodyBytes);
  ctx.trail?.mark('received');
  const { object, problems } = await decodeBody(deps, bytes, encoding, endpoint.definition);
  ctx.trail?.mark('decoded');
  applyFieldValidation(problems, options.fieldValidation, ctx.warnings);
  const meta = ensureMetadata(object);
  if (namespace === '' && endpoint.definition.namespaced)
    throw badRequest('an object cannot be created without a namespace');
  const key = { namespace, name: meta.name ?? '' };
  const request = { endpoint, key, subresource: '', dryRun: options.dryRun, bytes: bytes.length, origin: ctx.trail };
  const stored = await deps.writer.create(request, object);
  await sendObject(ctx, 201, representation, stored);
}
