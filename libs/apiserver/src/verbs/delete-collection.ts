import { StatusError } from '@orch/machinery';
import type { Row } from '@orch/storage';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { Stored } from '../endpoint.js';
import { isOver, type RequestContext } from '../http/context.js';
import { sendPieces } from '../http/respond.js';
import { listOptions } from '../reading/read-options.js';
import { selectionOf } from '../reading/selection.js';
import { readDeleteOptions } from './delete.js';

/** Deletions under way at once: enough to fill a group commit. */
const IN_FLIGHT = 64;

/** DELETE of a collection: every object that the selectors name, each on its own; answers what was deleted. */
export async function deleteCollection(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace } = call;
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query);
  const selection = selectionOf(ctx.query, endpoint, '');
  const listing = listOptions(ctx.query, { kind: 'ListOptions', group: deps.names.metaGroup });
  const options = await readDeleteOptions(deps, ctx);
  const listed = await deps.lister.list({ endpoint, namespace, options: listing, ...(selection && { selection }) });
  const deleted: Stored[] = [];
  const removeOne = async ({ namespace: within, name }: Row) => {
    const key = { namespace: within, name };
    const removal = await deps.remover.remove(endpoint, key, options).catch(ignoreMissing);
    if (removal) deleted.push(removal.stored);
  };
  for await (const page of listed.pages) {
    for (let at = 0; at < page.length; at += IN_FLIGHT) {
      if (isOver(ctx)) return;
      await Promise.all(page.slice(at, at + IN_FLIGHT).map(removeOne));
    }
  }
  await sendPieces(ctx, representation.contentType, representation.list(listed.meta, once(deleted)), false);
}

/** Somebody else was faster, which is what was asked for. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof StatusError && error.code === 404) return undefined;
  throw error;
}

async function* once(items: readonly Stored[]): AsyncGenerator<readonly Stored[]> {
  yield items;
}
