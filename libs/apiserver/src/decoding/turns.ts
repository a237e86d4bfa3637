import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work on fewer bytes is done before others wait long. */
const LARGE_BYTES = 64 << 10;

/** There is one event loop, and so one line of those who wait for a turn of it. */
let line: Promise<void> = Promise.resolve();

/**
 * Stands before and after each step of work on a body. A step on a large one gets a turn of the event loop for itself:
 * small requests are answered in between, and no two large steps follow each other. Costs nothing for a small body.
 */
export function turnFor(bytes = 0): Promise<void> | undefined {
  if (bytes < LARGE_BYTES) return undefined;
  line = line.then(() => nextTurn());
  return line;
}
