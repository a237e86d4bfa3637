import type { Clock } from '@orch/runtime';

/** How long what waits may take to be written when the process ends, milliseconds. */
export const FLUSH_MS = 10_000;

/** Resolves when the work is done, or that time is over. */
export async function atMost(ms: number, work: Promise<unknown>, clock: Clock): Promise<void> {
  let stop = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    stop = clock.after(ms, resolve);
  });
  await Promise.race([work, late]);
  stop();
}
