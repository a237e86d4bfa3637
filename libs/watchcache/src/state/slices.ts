import type { Clock } from '@orch/runtime/clock';

/** Milliseconds of work in one turn of the event loop. */
const BUDGET = 4;

/** Does work that yields often, a few milliseconds per turn of the event loop, so that it does not block other work. */
export async function inSlices(clock: Clock, work: Iterator<void, void>): Promise<void> {
  let end = clock.now() + BUDGET;
  while (work.next().done !== true) {
    if (clock.now() < end) continue;
    await new Promise<void>((resolve) => {
      clock.soon(resolve);
    });
    end = clock.now() + BUDGET;
  }
}
