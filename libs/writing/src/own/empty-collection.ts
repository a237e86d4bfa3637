import type { ReadingStore } from '@orch/storage';
import { serverForUsers } from '../pipeline/caller.js';
import { type Collection, eachStored } from './each-stored.js';
import { type ObjectRemover, REMOVALS, type Removal } from './object-remover.js';

/** Dependencies of {@link emptyCollection}. */
export interface EmptyingTools {
  /** Store that the collection is read from. */
  readonly store: Pick<ReadingStore, 'snapshot'>;
  /** Deletes the objects, with admission and finalizers as for any client. */
  readonly remover: ObjectRemover;
}

/**
 * Deletes all objects of a collection in the name of the server.
 * @param stopped polled between deletions; true ends the work early
 * @param onKept called for each object that finalizers or its grace period keep
 * @throws StatusError from admission; StoreUnavailableError
 */
export async function emptyCollection(
  { store, remover }: EmptyingTools,
  collection: Collection,
  stopped: () => boolean,
  onKept: (removal: Removal) => void,
): Promise<void> {
  await eachStored(store, collection, REMOVALS, stopped, async (row) => {
    const removal = await remover.removeListed(collection.endpoint, row, { dryRun: false }, serverForUsers());
    if (removal && !removal.gone) onKept(removal);
  });
}
