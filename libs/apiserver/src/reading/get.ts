import { notFound } from '@orch/machinery';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { sendBytes } from '../http/respond.js';
import { prettyIfAsked } from '../representation/pretty.js';
import { getFreshness } from './read-options.js';

/** GET of one object. */
export async function get(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query);
  const stored = await deps.reader.get(endpoint.type, { namespace, name }, getFreshness(ctx.query));
  if (!stored) throw notFound(endpoint.groupResource, name);
  const body = prettyIfAsked(ctx, representation.contentType, representation.object(stored));
  await sendBytes(ctx, 200, representation.contentType, body, deps.compress);
}
