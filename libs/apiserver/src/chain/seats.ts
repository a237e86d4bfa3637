import type { Clock } from '@orch/runtime';
import { type Bounds, SharedBound } from './shared-bound.js';

export interface SeatOptions {
  /** Requests that are carried out at a time. */
  readonly bounds: Bounds;
  /** Requests that wait for a seat, at most. */
  readonly maxWaiting: number;
  /** Milliseconds that one waits, at most. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
}

interface Waiting {
  /** Ends the wait, with a seat or without. */
  settle(seated: boolean): void;
}

/**
 * Seats for requests, so many in all and for each user. Who finds none waits; users take turns, however many requests each
 * of them has waiting, and when too many wait, the newest of the user with most of them gives way.
 */
export class Seats {
  readonly #taken: SharedBound;
  /** In the order of their turns. */
  readonly #queues = new Map<string, Waiting[]>();
  #waiting = 0;

  constructor(private readonly options: SeatOptions) {
    this.#taken = new SharedBound(options.bounds);
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether there was a seat. */
  take(user: string): boolean {
    if (!this.#taken.fits(user, 1)) return false;
    this.#taken.take(user, 1);
    return true;
  }

  /** Waits for a seat; false when none came in time, or for too many who wait. `onGone` is given what ends the wait. */
  wait(user: string, onGone: (leave: () => void) => void): Promise<boolean> {
    if (!this.#makeRoom(user)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const cancel = this.options.clock.after(this.options.maxWaitMs, () => this.#giveUp(user, waiting));
      const waiting: Waiting = {
        settle(seated) {
          cancel();
          resolve(seated);
        },
      };
      const queue = this.#queues.get(user);
      if (queue) queue.push(waiting);
      else this.#queues.set(user, [waiting]);
      this.#waiting++;
      onGone(() => this.#giveUp(user, waiting));
    });
  }

  /** Leaves a seat to whose turn it is. */
  leave(user: string): void {
    this.#taken.give(user, 1);
    for (const [next, queue] of this.#queues) {
      if (!this.take(next)) continue;
      const waiting = queue.shift();
      this.#waiting--;
      this.#queues.delete(next);
      if (queue.length > 0) this.#queues.set(next, queue);
      waiting?.settle(true);
      return;
    }
  }

  #makeRoom(user: string): boolean {
    if (this.#waiting < this.options.maxWaiting) return true;
    let [most, longest] = [user, this.#queues.get(user) ?? []];
    for (const [other, queue] of this.#queues) if (queue.length > longest.length) [most, longest] = [other, queue];
    if (most === user) return false;
    const last = longest.at(-1);
    if (last) this.#giveUp(most, last);
    return true;
  }

  #giveUp(user: string, waiting: Waiting): void {
    const queue = this.#queues.get(user) ?? [];
    const at = queue.indexOf(waiting);
    if (at < 0) return;
    queue.splice(at, 1);
    this.#waiting--;
    if (queue.length === 0) this.#queues.delete(user);
    waiting.settle(false);
  }
}
