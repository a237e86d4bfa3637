import type { UserInfo } from '@orch/authentication';
import type { RequestAttributes } from '@orch/authorization';

/** Seats of flow control that writes of controllers within the server take, as requests over HTTP do. */
export interface ControllerSeats {
  /**
   * Takes a seat, waiting in the queue of the user's priority level if need be.
   * @returns releases the seat
   * @throws StatusError 429 where no seat became free in time
   */
  take(user: UserInfo, request: RequestAttributes): Promise<() => void>;
}
