import type { ReadingStore } from '@orch/storage';
import { type Caller, serverForUsers } from '../pipeline/caller.js';
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
 * Deletes all objects of a collection.
 * @param stopped polled; once it returns true no further object is deleted
 * @param onKept called for each object that finalizers or a grace period keep
 * @param caller in whose name objects are deleted; default the server itself
 * @throws StatusError from admission; StoreUnavailableError
 */
export async function emptyCollection(
  { store, remover }: EmptyingTools,
  collection: Collection,
  stopped: () => boolean,
  onKept: (removal: Removal) => void,
  caller: Caller = { ...serverForUsers(), isOver: stopped },
): Promise<void> {
  await eachStored(store, collection, REMOVALS, stopped, async (row) => {
    const removal = await remover.removeListed(collection.endpoint, row, { dryRun: false }, caller);
    if (removal && !removal.gone) onKept(removal);
  });
}
