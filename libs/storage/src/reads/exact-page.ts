import type { DatabaseConnection } from '../connections/connection.js';
import type { Key, Version } from '../face/key.js';
import { text } from './rows.js';
import { exactRows, IN_INDEX_ORDER, type KeyRange, lastTwo, nthKey } from './snapshot-sql.js';
import type { TextRow } from './text-row.js';

/** Least number of keys that are checked together. */
const FEWEST = 100;

/** Last key of a page. */
interface PageEnd {
  /** The key of its last row; undefined when there is none. */
  readonly last: Key | undefined;
  /** Whether there are rows behind it. */
  readonly more: boolean;
}

/**
 * Finds the end of a page of an older version. Most objects may be newer, most changes may have replaced newer states,
 * and a statement that looks for this many old ones would read on to the end; so the search goes by ranges of keys that
 * hold no more objects than the page, until there are enough, with larger ranges where little is found. It reads
 * between the page's first key and its last, or at most a page or twice as far.
 * @param connection in a transaction that sees the version; planner settings made here hold until its end
 */
export async function findPageEnd(
  connection: Pick<DatabaseConnection, 'query'>,
  range: KeyRange,
  at: Version,
  limit: number,
): Promise<PageEnd> {
  await connection.query(IN_INDEX_ORDER);
  let found: readonly Key[] = [];
  let count = 0;
  let objects = FEWEST;
  for (let after = range.after, through: Key | undefined; ; after = through) {
    const rest = { ...range, ...(after && { after }) };
    const missing = limit + 1 - count;
    objects = Math.max(objects, missing);
    const [bound] = await connection.query(nthKey(rest, objects));
    through = bound && keyOf(bound);
    const rows = await connection.query(lastTwo(exactRows({ ...rest, ...(through && { through }) }, at), missing));
    const held = Number(rows[0]?.[2] ?? 0);
    // After many creations any number of them may lie here: avoid as many statements.
    objects = 2 * held < missing ? 2 * objects : FEWEST;
    count += held;
    found = [...found, ...rows.map(keyOf).reverse()].slice(-2);
    if (count > limit) return { last: found.at(-2), more: true };
    if (!through) return { last: found.at(-1), more: false };
  }
}

const keyOf = (row: TextRow): Key => ({ namespace: text(row, 0), name: text(row, 1) });
