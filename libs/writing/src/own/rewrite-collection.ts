import { StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { ReadingStore, Row } from '@orch/storage';
import { serverItself } from '../pipeline/caller.js';
import type { WritePipeline } from '../pipeline/write-pipeline.js';
import { eachStored } from './each-stored.js';
import { isMissing } from './missing.js';

interface RewritingTools {
  readonly store: Pick<ReadingStore, 'snapshot'>;
  readonly pipeline: WritePipeline;
  /** Stands before each write: keeps them to a rate. */
  turn(): Promise<void>;
}

/** Result of rewriting one object: no error, or why it failed. */
export type Rewriting = { readonly error?: StatusError };

/** Objects on their way at a time, by the bytes that are held for them. */
const REWRITINGS = { items: 16, bytes: 4 << 20, sizeOf: ({ body }: Row) => body.length };

/**
 * Rewrites objects of a type that are stored in another version than the current storage version, without a change of
 * content.
 * @param endpoint in the storage version
 * @param stopped polled; once it returns true no further object is written
 * @param onDone called for each object that was rewritten or could not be, except those that were deleted meanwhile
 * @throws StoreUnavailableError
 */
export async function rewriteCollection(
  { store, pipeline, turn }: RewritingTools,
  endpoint: Endpoint,
  stopped: () => boolean,
  onDone: (rewriting: Rewriting) => void,
): Promise<void> {
  const { form } = endpoint;
  await eachStored(store, { endpoint }, REWRITINGS, stopped, async (row) => {
    if (form.versionOf(row) === form.version) return;
    await turn();
    if (stopped()) return;
    const request = {
      operation: 'UPDATE',
      endpoint,
      key: { namespace: row.namespace, name: row.name },
      subresource: '',
      caller: { ...serverItself(), isOver: stopped },
      options: { dryRun: false },
      changeKind: 'internal',
    } as const;
    try {
      await pipeline.write(request, { change: (current) => current });
      onDone({});
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (stopped()) return;
      if (!isMissing(error, endpoint, row.name)) onDone({ error });
    }
  });
}
