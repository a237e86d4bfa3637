import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work on fewer bytes is done before others wait long. */
const LARGE_BYTES = 64 << 10;

/** Lets other requests have a turn after a step of work on a large body; costs nothing after one on a small body. */
export const turnAfter = (bytes = 0): Promise<void> | undefined => (bytes < LARGE_BYTES ? undefined : nextTurn());
