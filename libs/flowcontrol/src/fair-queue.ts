import type { Entry } from './fair-queues.js';

/** One of the queues of a level: requests in the order in which they came, and what those that left it are doing. */
export class FairQueue {
  readonly #waiting: Entry[] = [];
  /** Seat-milliseconds of those that wait. */
  waitingWork = 0;
  executing = 0;
  /** Held by those that are carried out, and by those whose watchers are still being told. */
  seatsInUse = 0;
  /** When its next request begins, on the clock that all queues of the level share (seat-milliseconds). */
  nextStart = 0;

  constructor(readonly index: number) {}

  get length(): number {
    return this.#waiting.length;
  }

  get oldest(): Entry | undefined {
    return this.#waiting[0];
  }

  get waiting(): readonly Entry[] {
    return this.#waiting;
  }

  get isActive(): boolean {
    return this.#waiting.length > 0 || this.executing > 0;
  }

  push(entry: Entry): void {
    this.#waiting.push(entry);
    this.waitingWork += entry.work;
  }

  remove(entry: Entry): void {
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.waitingWork = this.#waiting.length === 0 ? 0 : this.waitingWork - entry.work;
  }

  /** A queue that does not use what it may is not to save it up: nothing begins before it has come. */
  bound(): void {
    const oldest = this.oldest;
    if (oldest && this.nextStart < oldest.arrival) this.nextStart = oldest.arrival;
  }
}
