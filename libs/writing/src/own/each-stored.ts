import type { Endpoint } from '@orch/resources';
import { type AtATime, inParallel } from '@orch/runtime/work';
import type { Key, ReadingStore, Row } from '@orch/storage';

/** Objects that are read at a time, so that no transaction lasts as long as a large collection does. */
const READ_AT_A_TIME = 2_000;

/** Objects of a type: one namespace's, or all of them. */
export interface Collection {
  /** Endpoint of the objects. */
  readonly endpoint: Endpoint;
  /** Namespace of the objects; absent for all. */
  readonly namespace?: string;
}

/**
 * Calls the work with every stored object of a collection, in the order of their keys.
 * @param stopped polled; true ends it early
 * @throws the first error of the work; StoreUnavailableError
 */
export async function eachStored(
  store: Pick<ReadingStore, 'snapshot'>,
  { endpoint, namespace }: Collection,
  atATime: AtATime<Row>,
  stopped: () => boolean,
  work: (row: Row) => Promise<void>,
): Promise<void> {
  const within = { type: endpoint.type, limit: READ_AT_A_TIME, ...(namespace !== undefined && { namespace }) };
  let after: Key | undefined;
  for (let read = READ_AT_A_TIME; read === READ_AT_A_TIME && !stopped(); ) {
    const { pages } = await store.snapshot({ ...within, ...(after && { after }) });
    read = 0;
    await inParallel(pages, atATime, async (row) => {
      read++;
      after = { namespace: row.namespace, name: row.name };
      if (!stopped()) await work(row);
    });
  }
}
