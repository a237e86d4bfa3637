import type { UserInfo } from '@orch/authentication';
import type { RequestAttributes } from '@orch/authorization';
import { StatusError } from '@orch/machinery';
import { type Clock, sleep } from '@orch/runtime';

/** Seats of flow control that writes of controllers within the server take, as requests over HTTP do. */
export interface ControllerSeats {
  /**
   * Takes a seat, waiting in the queue of the user's priority level if need be.
   * @returns releases the seat
   * @throws StatusError 429 where no seat became free in time
   */
  take(user: UserInfo, request: RequestAttributes): Promise<() => void>;
}

/** How often a refused seat is asked for again before the controller is told, as in client-go (rest/request.go). */
const MAX_RETRIES = 10;

/**
 * Takes a seat, and asks again when the refusal says so, as the HTTP client of a controller does: the queue of a controller would
 * wait twice as long each time.
 * @param take asks once
 * @param isOver whether the term is over in which the seat is wanted: nothing is asked again then
 * @param clock clock of the waits
 * @returns releases the seat
 * @throws StatusError 429 where the seat was refused until the end
 */
export async function takePatiently(
  take: () => Promise<() => void>,
  isOver: () => boolean,
  clock: Clock,
): Promise<() => void> {
  for (let retries = 0; ; retries++) {
    try {
      return await take();
    } catch (error) {
      const seconds = error instanceof StatusError ? error.status.details?.retryAfterSeconds : undefined;
      if (seconds === undefined || retries === MAX_RETRIES || isOver()) throw error;
      await sleep(clock, seconds * 1_000);
    }
  }
}
