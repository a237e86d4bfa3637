import type { Status } from '@orch/machinery';
import { listOptions, selectionOf } from '@orch/reading';
import { inParallel, Slices } from '@orch/runtime/work';
import { endOf, isOver, type RequestContext, type ResourceCall, sendPieces, sendStatus } from '@orch/serving';
import { HistoryExpiredError, type Row } from '@orch/storage';
import { callerOf, REMOVALS } from '@orch/writing';
import type { ApiDeps } from '../deps.js';
import { readDeleteOptions } from './delete.js';

/**
 * Handles DELETE of a collection: deletes every selected object on its own. The response is the collection as it was
 * found; it is read a second time for that, so that a large one is not held while its objects are deleted. The objects
 * are read in windows, so that other lists proceed meanwhile.
 * @throws StatusError 410 when it takes longer than history is kept: objects deleted so far stay deleted
 */
export async function deleteCollection(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace } = call;
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query, 'list');
  const selection = selectionOf(ctx.query, endpoint, '');
  const listing = listOptions(ctx.query, { kind: 'ListOptions', group: deps.names.metaGroup }, deps.chunking);
  const options = await readDeleteOptions(deps, ctx, endpoint);
  const caller = callerOf(ctx);
  const { meta, pages, windows } = await deps.lister.list({
    endpoint,
    namespace,
    options: listing,
    user: ctx.user.name,
    over: endOf(ctx),
    ...(selection && { selection }),
  });
  await inParallel(inTurns(windows), REMOVALS, async (row) => {
    if (!isOver(ctx)) await deps.remover.removeListed(endpoint, row, options, caller);
  });
  if (isOver(ctx)) return;
  try {
    await sendPieces(ctx, representation.contentType, representation.list(meta, pages), false);
  } catch (error) {
    if (!(error instanceof HistoryExpiredError)) throw error;
    // It took so long that the objects' state before the deletion has been compacted.
    sendStatus(ctx, SUCCESS, deps.representations);
  }
}

/** Each row on its own: the work that a deletion begins with is done at once, and would add up. */
async function* inTurns(windows: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  const slices = new Slices();
  for await (const rows of windows) {
    for (const row of rows) {
      await slices.between();
      yield [row];
    }
  }
}

const SUCCESS: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };
