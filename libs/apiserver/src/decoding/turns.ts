import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Steps } from '@orch/schema';

/** Work on fewer bytes is done before others wait long. */
const LARGE_BYTES = 64 << 10;

/** There is one event loop, and so one line of those who wait for a turn of it. */
let line: Promise<void> = Promise.resolve();

/**
 * Stands before and after each step of work on a body. A step on a large one gets a turn of the event loop for itself:
 * small requests are answered in between, and no two large steps follow each other. Costs nothing for a small body.
 */
export function turnFor(bytes = 0): Promise<void> | undefined {
  return bytes < LARGE_BYTES ? undefined : turnInLine();
}

function turnInLine(): Promise<void> {
  line = line.then(() => nextTurn());
  return line;
}

/** Milliseconds of work on many small things in one turn of the event loop: others wait for about as long a round. */
const SLICE_MS = 1;

/** Stands between the items of work that is long because they are many. */
export class Slices {
  #end = performance.now() + SLICE_MS;

  /** A turn for others when there was none for a while; costs next to nothing otherwise. */
  between(): Promise<void> | undefined {
    return performance.now() < this.#end ? undefined : this.#next();
  }

  async #next(): Promise<void> {
    await turnInLine();
    this.#end = performance.now() + SLICE_MS;
  }
}

/** Takes steps, with turns for others when there was none for a while: a promise only where one was given. */
export function inSlices<T>(steps: Steps<T>): T | Promise<T> {
  const slices = new Slices();
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done) return next.value;
    const pause = slices.between();
    if (pause) return afterPause(pause, steps, slices);
  }
}

async function afterPause<T>(pause: Promise<void>, steps: Steps<T>, slices: Slices): Promise<T> {
  await pause;
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done) return next.value;
    await slices.between();
  }
}
