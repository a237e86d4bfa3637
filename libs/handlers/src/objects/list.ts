import { listOptions, selectionOf } from '@orch/reading';
import type { ListMeta } from '@orch/resources';
import { endOf, prettyList, type RequestContext, type ResourceCall, sendPieces, wantsPretty } from '@orch/serving';
import type { ApiDeps } from '../deps.js';

/** GET of a collection (spec: "List", "Paging"). */
export async function list(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const options = listOptions(ctx.query, { kind: 'ListOptions', group: deps.names.metaGroup }, deps.chunking);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'list');
  const selection = selectionOf(ctx.query, endpoint, name);
  const listed = await deps.lister.list({
    ...{ endpoint, namespace, options, user: ctx.user.name, over: endOf(ctx) },
    ...(selection && { selection }),
  });
  const { pages } = listed;
  const meta = deps.remainingItemCount ? listed.meta : uncounted(listed.meta);
  const { parts } = representation;
  const pieces = parts && wantsPretty(ctx) ? prettyList(parts, meta, pages) : representation.list(meta, pages);
  await sendPieces(ctx, representation.contentType, pieces, deps.compress);
}

function uncounted({ remainingItemCount, ...meta }: ListMeta): ListMeta {
  return meta;
}
