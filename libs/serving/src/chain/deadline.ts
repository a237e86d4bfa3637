import { timeout } from '@orch/machinery';
import type { OpenContext } from './new-context.js';
import { requestDeadline } from './request-deadline.js';
import { isLongRunning } from './request-info.js';

/** Seconds after which a request that has timed out may be retried. */
const RETRY_SECONDS = 1;

/**
 * Bounds the time of a request, all of its stages together, unless its answer is a long-running stream.
 * @param maximum milliseconds; a client may ask for less
 * @throws StatusError 504 when it takes too long; work in progress may still be finished, as with any timeout. 400 for
 * a timeout that is no duration
 */
export async function withinDeadline(ctx: OpenContext, maximum: number, work: () => Promise<void>): Promise<void> {
  if (isLongRunning(ctx.info)) return work();
  const ms = requestDeadline(ctx.query, maximum);
  ctx.deadline = performance.now() + ms;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timeout('the request timed out', RETRY_SECONDS)), ms);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
