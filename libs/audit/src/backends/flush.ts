import type { Clock } from '@orch/runtime';

/** Milliseconds for writing pending events when the process ends. */
const FLUSH_MS = 10_000;
/** Milliseconds for that once the time for a clean shutdown is over. */
const LATE_MS = 1_000;

/**
 * Resolves when the work is done or its time is over: ten seconds, or a second after `deadline` has aborted if that is
 * earlier.
 */
export async function flush(work: Promise<unknown>, clock: Clock, deadline?: AbortSignal): Promise<void> {
  const cancels: (() => void)[] = [];
  const late = new Promise<void>((resolve) => {
    cancels.push(clock.after(FLUSH_MS, resolve));
    const hurry = () => cancels.push(clock.after(LATE_MS, resolve));
    if (deadline?.aborted) return hurry();
    deadline?.addEventListener('abort', hurry, { once: true });
    cancels.push(() => deadline?.removeEventListener('abort', hurry));
  });
  await Promise.race([work, late]);
  for (const cancel of cancels) cancel();
}
