import { RequeueError } from '@orch/controllers';
import { StatusError } from '@orch/machinery';

/** Milliseconds after which a time that lies ahead is checked again at the latest: clocks may be set. */
const LONGEST_MS = 600_000;

/** Returns the milliseconds until a key is to be reconciled that is due at a time; undefined for one that never comes. */
export const untilDue = (time: number, now: number): number | undefined =>
  time === Number.POSITIVE_INFINITY ? undefined : Math.min(Math.max(time - now, 0) + 1, LONGEST_MS);

/** Requeues a key after a conflict or a deletion: the newer version will reach the cache. @throws always */
export function requeueOvertaken(error: unknown): never {
  const isOvertaken = error instanceof StatusError && (error.code === 404 || error.code === 409);
  throw isOvertaken ? new RequeueError(error.message) : error;
}
