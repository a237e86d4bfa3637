import { notFound } from '@orch/machinery';
import { getFreshness } from '../../reading/read-options.js';
import { inServedVersion } from '../../resources/conversion/version-stage.js';
import type { RequestContext } from '../../serving/http/context.js';
import type { ResourceCall } from '../../serving/http/route.js';
import { sendObject } from '../../serving/http/send-object.js';
import type { ApiDeps } from '../deps.js';

/** GET of one object. */
export async function get(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'object');
  const stored = await deps.reader.get(endpoint.type, { namespace, name }, getFreshness(ctx.query));
  if (!stored) throw notFound(endpoint.groupResource, name);
  await sendObject(ctx, 200, representation, await inServedVersion(endpoint, stored), deps.compress);
}
