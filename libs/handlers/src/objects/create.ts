import { badRequest, ensureMetadata } from '@orch/machinery';
import { type RequestContext, type ResourceCall, readBody, sendObject } from '@orch/serving';
import { callerOf } from '@orch/writing';
import { applyFieldValidation, bodyEncoding, decodeBody, readingOf } from '../bodies/decode-body.js';
import { firstAsItIs } from '../bodies/first-as-it-is.js';
import { writeOptions } from '../bodies/write-options.js';
import type { ApiDeps } from '../deps.js';

/** POST to a collection. */
export async function create(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace } = call;
  const options = writeOptions(ctx.query, 'CreateOptions', deps.names);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'object');
  const encoding = bodyEncoding(ctx.req.headers['content-type'], deps.names, endpoint.model);
  const bytes = await readBody(ctx, deps.limits);
  ctx.trail?.mark('received');
  const reading = readingOf(deps, ctx);
  const { object, problems } = await decodeBody(reading, bytes, encoding, endpoint.model);
  ctx.trail?.mark('decoded');
  applyFieldValidation(problems, options.fieldValidation, ctx.warnings, endpoint.model);
  if (namespace === '' && endpoint.definition.namespaced)
    throw badRequest('an object cannot be created without a namespace');
  const key = { namespace, name: ensureMetadata(object).name ?? '' };
  const request = {
    operation: 'CREATE',
    endpoint,
    key,
    subresource: '',
    caller: callerOf(ctx),
    options,
    hints: { bytes: bytes.length },
  } as const;
  const again = async () => (await decodeBody(reading, bytes, encoding, endpoint.model)).object;
  const create = firstAsItIs(object, again);
  const { stored } = await deps.pipeline.write(request, { create });
  await sendObject(ctx, 201, representation, stored);
}
