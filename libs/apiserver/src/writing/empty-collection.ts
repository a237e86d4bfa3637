import type { Key, ReadingStore } from '@orch/storage';
import type { Endpoint } from '../served/endpoint.js';
import { serverItself } from './caller.js';
import { inParallel } from './in-parallel.js';
import { type ObjectRemover, REMOVALS, type Removal } from './object-remover.js';

/** Objects that are read at a time, so that no transaction lasts as long as a large collection does. */
const READ_AT_A_TIME = 2_000;

export interface EmptyingTools {
  readonly store: Pick<ReadingStore, 'snapshot'>;
  readonly remover: ObjectRemover;
}

/** What is to be emptied: one namespace's objects of a type, or all of them. */
export interface Collection {
  readonly endpoint: Endpoint;
  readonly namespace?: string;
}

/**
 * Deletes all objects of a collection for the server itself.
 * @param stopped asked now and then; true ends it early
 * @param onKept hears of each that finalizers or grace keep
 * @throws StatusError from admission; StoreUnavailableError
 */
export async function emptyCollection(
  { store, remover }: EmptyingTools,
  { endpoint, namespace }: Collection,
  stopped: () => boolean,
  onKept: (removal: Removal) => void,
): Promise<void> {
  const within = { type: endpoint.type, limit: READ_AT_A_TIME, ...(namespace !== undefined && { namespace }) };
  let after: Key | undefined;
  for (let read = READ_AT_A_TIME; read === READ_AT_A_TIME && !stopped(); ) {
    const { pages } = await store.snapshot({ ...within, ...(after && { after }) });
    read = 0;
    await inParallel(pages, REMOVALS, async (row) => {
      read++;
      after = { namespace: row.namespace, name: row.name };
      if (stopped()) return;
      const removal = await remover.removeListed(endpoint, row, { dryRun: false }, serverItself());
      if (removal && !removal.gone) onKept(removal);
    });
  }
}
