/** A request as a queue sees it. */
interface QueuedWork {
  /** Expected work in seat-milliseconds. */
  readonly work: number;
  /** Time of arrival on the level's virtual clock (seat-milliseconds). */
  readonly arrival: number;
}

/** A queue of a level: requests in order of arrival, and the work of those that left it. */
export class FairQueue<Entry extends QueuedWork = QueuedWork> {
  readonly #waiting: Entry[] = [];
  /** Seat-milliseconds of the waiting requests. */
  waitingWork = 0;
  /** Number of its executing requests. */
  executing = 0;
  /** Seats of requests being executed, and of those whose watchers are still being notified. */
  seatsInUse = 0;
  /** Whether its only request arrived when it was empty. */
  isSparse = false;
  /** Start of its next request on the level's virtual clock (seat-milliseconds). */
  nextStart = 0;

  /** @param index among the queues of its level */
  constructor(readonly index: number) {}

  /** Number of waiting requests. */
  get length(): number {
    return this.#waiting.length;
  }

  /** The next request of the queue. */
  get oldest(): Entry | undefined {
    return this.#waiting[0];
  }

  /** Waiting requests, in order of arrival. */
  get waiting(): readonly Entry[] {
    return this.#waiting;
  }

  /** Whether a request is waiting or executing. */
  get isActive(): boolean {
    return this.#waiting.length > 0 || this.executing > 0;
  }

  /** Appends a request. */
  push(entry: Entry): void {
    this.isSparse = !this.isActive;
    this.#waiting.push(entry);
    this.waitingWork += entry.work;
  }

  /** Removes a waiting request, at any position; others are ignored. */
  remove(entry: Entry): void {
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.waitingWork = this.#waiting.length === 0 ? 0 : this.waitingWork - entry.work;
  }

  /** Prevents an idle queue from saving up its share: no request starts before it has arrived. */
  bound(): void {
    const oldest = this.oldest;
    if (oldest && this.nextStart < oldest.arrival) this.nextStart = oldest.arrival;
  }
}
