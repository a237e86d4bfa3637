/** A request as a queue sees it. */
interface QueuedWork {
  /** Seat-milliseconds that it is expected to take. */
  readonly work: number;
  /** When it came, on the clock that all queues of the level share (seat-milliseconds). */
  readonly arrival: number;
}

/** A queue of a level: requests in order of arrival, and the work of those that left it. */
export class FairQueue<Entry extends QueuedWork = QueuedWork> {
  readonly #waiting: Entry[] = [];
  /** Seat-milliseconds of those that wait. */
  waitingWork = 0;
  /** Requests of it that are being carried out. */
  executing = 0;
  /** Seats of requests being executed, and of those whose watchers are still being notified. */
  seatsInUse = 0;
  /** Whether all that is in it is one request, which came when it was empty. */
  isSparse = false;
  /** When its next request begins, on the clock that all queues of the level share (seat-milliseconds). */
  nextStart = 0;

  /** @param index where it stands among the queues of its level */
  constructor(readonly index: number) {}

  /** Requests that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** The request whose turn it is next here. */
  get oldest(): Entry | undefined {
    return this.#waiting[0];
  }

  /** Waiting requests, in order of arrival. */
  get waiting(): readonly Entry[] {
    return this.#waiting;
  }

  /** Whether anybody waits or is being carried out. */
  get isActive(): boolean {
    return this.#waiting.length > 0 || this.executing > 0;
  }

  /** Lets one more wait, behind the others. */
  push(entry: Entry): void {
    this.isSparse = !this.isActive;
    this.#waiting.push(entry);
    this.waitingWork += entry.work;
  }

  /** Takes one out that waits, wherever it stands; another is let alone. */
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
