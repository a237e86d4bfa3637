import type { RequestAttributes } from '@orch/authorization';
import { tooManyRequests } from '@orch/machinery';
import type { OpenContext, RequestSeat, Turns } from '@orch/serving';
import type { ControllerSeats } from '@orch/writing';

/** A request as far as flow control classifies it. */
export interface ClassifiedRequest {
  /** User whose request it is. */
  readonly user: OpenContext['user'];
  /** Attributes of the request. */
  readonly info: RequestAttributes;
}

/** Requests of controllers as the schedulers of requests take them. */
export interface ControllerTurns extends Turns {
  /**
   * Takes a seat for a write of a controller within this process.
   * @returns undefined for one that is rejected, or was not dispatched in time
   */
  takeForController(request: ClassifiedRequest): RequestSeat | undefined | Promise<RequestSeat | undefined>;
}

/** Seconds after which a write that was rejected may be tried again. */
const RETRY_SECONDS = 1;

/**
 * Returns the seats of controllers: they take them from the same levels as requests of their service accounts would, so
 * that users keep theirs however many keys a controller has.
 */
export const controllerSeats = (turns: ControllerTurns): ControllerSeats => ({
  async take(user, info) {
    const turn = await turns.takeForController({ user, info });
    if (!turn) throw tooManyRequests('too many requests, please try again later', RETRY_SECONDS);
    return () => turn.leave();
  },
});
