import { timeout, unavailable } from '@orch/machinery';
import type { WriteRequest } from './write-request.js';

/** Seconds after which a request that ran out of time may be tried again. */
const RETRY_SECONDS = 1;

/**
 * Throws once the deadline of the request has passed, so that nothing is written for a client that has given up, nor
 * for a controller that another process runs by now.
 * @throws StatusError 504, 503
 */
export function checkTime({ caller }: Pick<WriteRequest, 'caller'>): void {
  if (performance.now() >= caller.deadline) throw timeout('the request timed out', RETRY_SECONDS);
  if (caller.isOver?.()) throw unavailable('this process does not run the controller any more', RETRY_SECONDS);
}
