import { timeout } from '@orch/machinery';
import type { WriteRequest } from './write-request.js';

/** Seconds after which a request that ran out of time may be tried again. */
const RETRY_SECONDS = 1;

/**
 * Throws once the deadline of the request has passed, so that nothing is written for a client that has given up.
 * @throws StatusError 504
 */
export function checkTime({ caller }: Pick<WriteRequest, 'caller'>): void {
  if (performance.now() >= caller.deadline) throw timeout('the request timed out', RETRY_SECONDS);
}
