import { timeout } from '@orch/machinery';
import type { WriteRequest } from './write-request.js';

/** Seconds after which a request that ran out of time may be tried again. */
const RETRY_SECONDS = 1;

/** Nobody waits any more for what takes longer than the request may, and nothing is to be written that nobody hears of. @throws StatusError 504 */
export function checkTime({ caller }: Pick<WriteRequest, 'caller'>): void {
  if (performance.now() >= caller.deadline) throw timeout('the request timed out', RETRY_SECONDS);
}
