import { timeout, unavailable } from '@orch/machinery';
import type { WriteRequest } from './write-request.js';

/** Seconds after which a request that ran out of time may be tried again. */
const RETRY_SECONDS = 1;

/**
 * Nobody waits any more for what takes longer than the request may, and nothing is to be written that nobody hears of, nor for a controller
 * that another process runs by now.
 * @throws StatusError 504, 503
 */
export function checkTime({ caller }: Pick<WriteRequest, 'caller'>): void {
  if (performance.now() >= caller.deadline) throw timeout('the request timed out', RETRY_SECONDS);
  if (caller.isOver?.()) throw unavailable('this process does not run the controller any more', RETRY_SECONDS);
}
