import type { Row } from '@orch/storage';
import { type OpenBehind, onwards, type Reservation, type Window, windowOf } from './windows.js';

type Pages = AsyncIterable<readonly Row[]>;

/** Decides when the connection that rows are read over is released before the last of them has been read. */
export interface YieldingTerms {
  /** Milliseconds that the reader may take for a page. */
  readonly patienceMs: number;
  /** Milliseconds for which the connection is kept though others wait for it. */
  readonly turnMs: number;
  /** Whether others wait for it. */
  isWanted(): boolean;
  /** Reserves memory for the rows that are read ahead of the reader. */
  reserve(): Reservation;
}

/**
 * The rows of a list for a reader that may be slow. As long as it reads as fast as the database, all of them come over
 * one connection. That is given back once the reader is slow, or others have waited for it long enough; the rest then
 * comes in windows, which hold nothing while the reader works on them.
 * @param first the rows from the beginning
 * @param limit rows in all
 */
export async function* yielding(
  first: Pages,
  limit: number,
  open: OpenBehind,
  terms: YieldingTerms,
): AsyncGenerator<readonly Row[]> {
  const rows = first[Symbol.asyncIterator]();
  const rest = { [Symbol.asyncIterator]: () => rows };
  const start = performance.now();
  let left = limit;
  let window: Promise<Window> | undefined;
  const readAhead = (): Promise<Window> => {
    window ??= windowOf(rest, terms.reserve());
    // The error is thrown when the next page is read.
    window.catch(() => undefined);
    return window;
  };
  try {
    for (;;) {
      const next = await rows.next();
      if (next.done) return;
      left -= next.value.length;
      const impatient = setTimeout(readAhead, terms.patienceMs);
      try {
        yield next.value;
      } finally {
        clearTimeout(impatient);
      }
      if (window || (terms.isWanted() && performance.now() - start >= terms.turnMs)) {
        yield* onwards(await readAhead(), { asked: left, left }, open, terms.reserve);
        return;
      }
    }
  } finally {
    await rows.return?.();
    await window?.then(({ release }) => release()).catch(() => undefined);
  }
}
