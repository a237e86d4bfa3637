import type { Key, Row } from '@orch/storage';

type Pages = AsyncIterable<readonly Row[]>;

/** Rows of a window, and bytes of bodies after which it holds no further page. */
const ROWS = 4_096;
/** Bytes of bodies after which a window holds no further page. */
export const WINDOW_BYTES = 4 << 20;
/**
 * Same without memory for a window: about as much as is written at a time. Less would take a query for every few rows,
 * as small as the first ones may be.
 */
export const LEAST_BYTES = 128 << 10;

/** Opens the rows behind a key, at most `limit` of them. */
export type OpenBehind = (after: Key, limit: number) => Promise<Pages>;

/** Memory for one window. */
export interface Reservation {
  /** Bytes of bodies that the window may hold before its last page. */
  readonly bytes: number;
  /** Frees the memory; calling it again does nothing. */
  release(): void;
}

/** Rows of a list that were read completely into memory. */
export interface Window {
  /** Rows of the window, in order. */
  readonly rows: readonly Row[];
  /** Bound that the window has reached, if there may be more rows behind it. */
  readonly full?: 'bytes' | 'rows';
  /** Frees the memory that was reserved for the window. */
  release(): void;
}

/** Rest of a list after a window of it has been read. */
interface Remainder {
  /** Number of rows that the window was requested with. */
  readonly asked: number;
  /** Number of rows from the first one of the window to the end of the list, at most. */
  readonly left: number;
}

/** Returns memory for a window that is not accounted for. */
export const unreserved = (): Reservation => ({ bytes: WINDOW_BYTES, release: () => undefined });

/**
 * The rows of a list in windows, each of them read completely before it is yielded: while the consumer works on one, no
 * connection and no place among the lists is held.
 * @param first the rows from the beginning
 * @param limit rows in all
 */
export async function* inWindows(first: Pages, limit: number, open: OpenBehind): AsyncGenerator<readonly Row[]> {
  const window = await windowOf(first, unreserved());
  yield* onwards(window, { asked: limit, left: limit }, open, unreserved);
}

/**
 * Yields the rows of a window, and of all that follow it.
 * @param reserve reserves memory for the next window
 */
export async function* onwards(
  first: Window,
  remainder: Remainder,
  open: OpenBehind,
  reserve: () => Reservation,
): AsyncGenerator<readonly Row[]> {
  let [window, { asked, left }] = [first, remainder];
  for (;;) {
    const { rows, full } = window;
    try {
      if (rows.length > 0) yield rows;
    } finally {
      window.release();
    }
    left -= rows.length;
    const last = rows.at(-1);
    if (!last || left <= 0 || (!full && rows.length < asked)) return;
    // Of large rows, no more are requested than a window holds; the unread rest of a query has its cost all the same.
    asked = Math.min(full === 'bytes' ? rows.length : 2 * asked, ROWS, left);
    const pages = await open(last, asked);
    window = await windowOf(pages, reserve());
  }
}

/** Reads pages until a window is full, at least one, and leaves the rest. */
export async function windowOf(pages: Pages, { bytes: room, release }: Reservation): Promise<Window> {
  const rows: Row[] = [];
  let bytes = 0;
  try {
    for await (const page of pages) {
      for (const row of page) {
        rows.push(row);
        bytes += row.body.length;
      }
      if (bytes >= room) return { rows, full: 'bytes', release };
      if (rows.length >= ROWS) return { rows, full: 'rows', release };
    }
  } catch (error) {
    release();
    throw error;
  }
  return { rows, release };
}
