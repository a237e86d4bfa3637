import type { Key, Row } from '@orch/storage';

type Pages = AsyncIterable<readonly Row[]>;

/** Rows of a window, and bytes of bodies after which it holds no further page. */
const ROWS = 4_096;
const BYTES = 4 << 20;

/** Opens the rows behind a key, at most so many. */
export type OpenBehind = (after: Key, limit: number) => Promise<Pages>;

/**
 * The rows of a list in portions, each of them read whole before it is handed over: while somebody works on one, no
 * connection and no place among the lists is held.
 * @param first the rows from the beginning
 * @param limit rows in all
 */
export async function* inWindows(first: Pages, limit: number, open: OpenBehind): AsyncGenerator<readonly Row[]> {
  let [pages, asked, left] = [first, limit, limit];
  for (;;) {
    const { rows, full } = await windowOf(pages);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    left -= rows.length;
    if (left <= 0 || (!full && rows.length < asked)) return;
    // Where rows are large, no more of them are asked for than a window holds.
    asked = Math.min(full === 'bytes' ? rows.length : ROWS, left);
    pages = await open(last, asked);
  }
}

/** @returns `full` when there may be more than what it holds, and what it is full of */
async function windowOf(pages: Pages): Promise<{ rows: readonly Row[]; full?: 'bytes' | 'rows' }> {
  const rows: Row[] = [];
  let bytes = 0;
  for await (const page of pages) {
    for (const row of page) {
      rows.push(row);
      bytes += row.body.length;
    }
    if (bytes >= BYTES) return { rows, full: 'bytes' };
    if (rows.length >= ROWS) return { rows, full: 'rows' };
  }
  return { rows };
}
