import type { ChangeSource, Key, Row, TypeId, Version } from '@orch/storage';
import { compareKeys } from './key-order.js';
import type { Page } from './sorted-entries.js';

/**
 * Returns the first key at which a state in memory and the database at the same version differ, byte for byte;
 * undefined when they are equal. Reads the whole type, a page at a time.
 * @param pages the state, in key order
 * @throws HistoryExpiredError when the database has forgotten the version
 * @throws StoreUnavailableError
 */
export async function firstDifference(
  source: ChangeSource,
  type: TypeId,
  version: Version,
  pages: readonly Page[],
): Promise<Key | undefined> {
  const snapshot = await source.snapshot({ type, at: version });
  const held = each(pages);
  for await (const page of snapshot.pages) {
    for (const row of page) {
      const { value: entry } = held.next();
      if (entry === undefined) return keyOf(row);
      if (!isSame(entry, row)) return keyOf(compareKeys(entry, row) < 0 ? entry : row);
    }
  }
  const { value: surplus } = held.next();
  return surplus && keyOf(surplus);
}

function* each(pages: readonly Page[]): Generator<Row, undefined> {
  for (const page of pages) yield* page;
}

const keyOf = ({ namespace, name }: Key): Key => ({ namespace, name });

function isSame(entry: Row, row: Row): boolean {
  return (
    entry.version === row.version &&
    entry.name === row.name &&
    entry.namespace === row.namespace &&
    entry.uid === row.uid &&
    entry.body.equals(row.body)
  );
}
