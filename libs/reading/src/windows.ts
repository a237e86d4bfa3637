import type { Key, Row } from '@orch/storage';

type Pages = AsyncIterable<readonly Row[]>;

/** Rows of a window, and bytes of bodies after which it holds no further page. */
const ROWS = 4_096;
export const WINDOW_BYTES = 4 << 20;
/**
 * Same without memory for a window: about as much as is written at a time. Less would take a query for every few rows,
 * as small as the first ones may be.
 */
export const LEAST_BYTES = 128 << 10;

/** Opens the rows behind a key, at most so many. */
export type OpenBehind = (after: Key, limit: number) => Promise<Pages>;

/** Memory for one window. */
export interface Reservation {
  /** Bytes of bodies that it may hold before its last page. */
  readonly bytes: number;
  /** Gives the memory back; calling it again does nothing. */
  release(): void;
}

/** Rows of a list that were read whole. */
export interface Window {
  readonly rows: readonly Row[];
  /** When there may be more than what it holds, what it is full of. */
  readonly full?: 'bytes' | 'rows';
  /** Gives back the memory that was reserved for it. */
  release(): void;
}

/** Rest of a list after a window of it has been read. */
interface Remainder {
  /** Rows that the window was asked for. */
  readonly asked: number;
  /** Rows from its first one on to the end of the list, at most. */
  readonly left: number;
}

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
 * A window, and all that follow it.
 * @param reserve takes memory for the next one
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
    // Where rows are large, no more of them are asked for than a window holds; what is left of a query costs all the same.
    asked = Math.min(full === 'bytes' ? rows.length : 2 * asked, ROWS, left);
    const pages = await open(last, asked);
    window = await windowOf(pages, reserve());
  }
}

/** Reads pages until a window is full, one at least, and leaves the rest. */
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
