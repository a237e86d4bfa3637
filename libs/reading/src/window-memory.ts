import { type Bounds, SharedBound } from '@orch/runtime/work';
import { LEAST_BYTES, type Reservation, WINDOW_BYTES } from './windows.js';

const NONE: Reservation = { bytes: LEAST_BYTES, release: () => undefined };

/** Bounds the memory for rows read ahead of clients that do not read, in all and for each user. */
export class WindowMemory {
  readonly #bound: SharedBound;

  constructor(bounds: Bounds) {
    this.#bound = new SharedBound(bounds);
  }

  /** Bytes that are reserved now. */
  get held(): number {
    return this.#bound.held;
  }

  /**
   * Reserves memory for a window of a user's list; when there is none left, the least that is worth a query, which is
   * not counted.
   */
  reserve(user: string): Reservation {
    if (!this.#bound.fits(user, WINDOW_BYTES)) return NONE;
    this.#bound.take(user, WINDOW_BYTES);
    let isHeld = true;
    return {
      bytes: WINDOW_BYTES,
      release: () => {
        if (isHeld) this.#bound.give(user, WINDOW_BYTES);
        isHeld = false;
      },
    };
  }
}
