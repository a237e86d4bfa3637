import { notFound } from '@orch/machinery';
import { getFreshness } from '@orch/reading';
import { inServedVersion } from '@orch/resources';
import { type RequestContext, type ResourceCall, sendObject } from '@orch/serving';
import type { ApiDeps } from '../deps.js';

/** GET of one object. */
export async function get(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'object');
  const stored = await deps.reader.get(endpoint.type, { namespace, name }, getFreshness(ctx.query));
  if (!stored) throw notFound(endpoint.groupResource, name);
  await sendObject(ctx, 200, representation, await inServedVersion(endpoint, stored), deps.compress);
}
