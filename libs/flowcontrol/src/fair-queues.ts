import type { Clock } from '@orch/runtime';
import type { Queuing } from './configuration.js';
import { Dealer } from './dealer.js';
import { FairQueue } from './fair-queue.js';
import type { StartLimiter } from './pace.js';
import { SeatDemand } from './seat-demand.js';
import { seatsOf, type WorkEstimate } from './work-estimate.js';

/** Why a request is refused. */
export type RejectReason = 'concurrency-limit' | 'queue-full' | 'time-out';

/** Observer of the requests of a level. */
export interface LevelObserver {
  /** The number of waiting requests changed. */
  waits(schema: string, by: 1 | -1): void;
  /** The number of executing requests, which hold seats, changed. */
  executes(schema: string, by: 1 | -1): void;
  /** The number of held seats changed. */
  seats(schema: string, by: number): void;
  /** Number of requests in a queue after one has entered. */
  queueLength(schema: string, length: number): void;
  /** The next request has to wait because it needs several seats at once. */
  noRoom(schema: string): void;
}

interface FairQueuesOptions {
  readonly clock: Clock;
  /** Maximum milliseconds that a request waits. */
  readonly maxWaitMs: number;
  readonly observer: LevelObserver;
  /** Pace shared by all levels. */
  readonly pace: StartLimiter;
}

/** An arriving request. */
export interface Arrival {
  readonly schema: string;
  /** Flow within its schema. */
  readonly flow: string;
  readonly estimate: WorkEstimate;
  /** Description for inspection of the queues. */
  readonly about?: unknown;
}

/** Seat-milliseconds that a busy queue counts for. */
const BUSY_WORK = 0.5;
/** Expected milliseconds of a request; corrected when it has ended. */
const EXPECTED_MS = 3;

/** An accepted request: waiting or executing. */
export class QueuedRequest {
  /** Expected work in seat-milliseconds. */
  readonly work: number;
  /** Milliseconds for which it will keep its seats after its answer. */
  lingersMs: number;
  /** State: it only ever advances to the next. */
  state: 'waiting' | 'executing' | 'over' = 'waiting';
  /** Monotonic milliseconds; set once it executes. */
  startedAt = 0;
  /** Notifies the request that waits for its seats. */
  settle: (isSeated: boolean) => void = () => undefined;
  /** Cancels the timer of its wait. */
  cancelTimer: () => void = () => undefined;

  constructor(
    /** Queues whose seats it takes. */
    readonly owner: FairQueues,
    /** The arrival that it was made for. */
    readonly from: Arrival,
    /** Undefined if the level has no queues. */
    readonly queue: FairQueue<QueuedRequest> | undefined,
    /** Monotonic milliseconds. */
    readonly arrivedAt: number,
    /** Same on the virtual clock of the queues, seat-milliseconds. */
    readonly arrival: number,
  ) {
    const { initialSeats, finalSeats, additionalMs } = from.estimate;
    this.work = initialSeats * EXPECTED_MS + finalSeats * additionalMs;
    this.lingersMs = additionalMs;
  }

  /** Seats held from its start to its end. */
  get seats(): number {
    return seatsOf(this.from.estimate);
  }

  /** Whether it has its seats; false when it has timed out, or has left. */
  seated(): true | Promise<boolean> {
    if (this.state === 'executing') return true;
    return new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Ends the request, or its wait. A second call has no effect. */
  leave(): void {
    this.owner.leave(this);
  }
}

/**
 * The seats of one level, and the order of requests: each flow has a few queues to choose from, and queues take turns
 * by the work that was done for each (fair queuing over virtual time, KEP-1040).
 */
export class FairQueues {
  readonly demand: SeatDemand;
  readonly #clock: Clock;
  readonly #maxWaitMs: number;
  readonly #observer: LevelObserver;
  readonly #pace: StartLimiter;
  #limit = 0;
  #queuing: Queuing | undefined;
  #dealer: Dealer | undefined;
  /** Queues that are in use, by index; unused ones of a configuration cost nothing. */
  readonly #queues = new Map<number, FairQueue<QueuedRequest>>();
  /** Queues with waiting requests. */
  readonly #filled = new Set<FairQueue<QueuedRequest>>();
  #seatsInUse = 0;
  #seatsWaiting = 0;
  #executing = 0;
  #waiting = 0;
  #entered = 0;
  /** Index of the queue that was served last. */
  #robin = -1;
  /** Work that an always busy queue has had done, seat-milliseconds. */
  #progress = 0;
  #progressAt: number;
  readonly counts = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };

  constructor({ clock, maxWaitMs, observer, pace }: FairQueuesOptions) {
    this.#clock = clock;
    this.#maxWaitMs = maxWaitMs;
    this.#observer = observer;
    this.#pace = pace;
    this.#progressAt = clock.now();
    this.demand = new SeatDemand(clock.now());
  }

  /** Sets the number of seats, and the queuing; undefined for none. Requests that wait already continue to. */
  configure(limit: number, queuing: Queuing | undefined): void {
    this.#advance();
    this.#limit = limit;
    this.#queuing = queuing;
    const { queues = 0, handSize = 0 } = queuing ?? {};
    if (this.#dealer?.deckSize !== queues || this.#dealer.handSize !== handSize)
      this.#dealer = queues > 0 ? new Dealer(queues, Math.min(handSize, queues)) : undefined;
    this.#dispatch();
  }

  get limit(): number {
    return this.#limit;
  }

  get executing(): number {
    return this.#executing;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  /** Approximate number of waiting callers: each has a hand of queues to choose from. */
  get breadth(): number {
    return this.#filled.size / (this.#queuing?.handSize || 1);
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#executing === 0;
  }

  /** Queues with waiting or executing requests, in their order; for inspection. */
  get queues(): readonly FairQueue<QueuedRequest>[] {
    return [...this.#queues.values()].sort((a, b) => a.index - b.index);
  }

  /** Accepts a request, to execute now or in its turn, or returns why it is refused. */
  enter(from: Arrival): QueuedRequest | RejectReason {
    this.#advance();
    const caller = `${from.schema}\n${from.flow}`;
    this.#pace.comes(caller);
    if (!this.#dealer || !this.#queuing) return this.#enterUnqueued(from);
    const queue = this.#choose(this.#dealer.handOf(caller));
    const mustWait = this.#seatsInUse >= this.#limit || this.#pace.holds(this);
    if (mustWait && queue.length >= this.#queuing.queueLengthLimit) {
      this.counts.rejected++;
      return 'queue-full';
    }
    const entry = new QueuedRequest(this, from, queue, this.#clock.now(), this.#progress);
    this.#enqueue(queue, entry);
    this.#dispatch();
    // A request that starts at once needs no timer.
    if (entry.state === 'waiting')
      entry.cancelTimer = this.#clock.after(this.#maxWaitMs, () => this.#giveUp(entry, 'timedOut'));
    return entry;
  }

  leave(entry: QueuedRequest): void {
    if (entry.state === 'waiting') this.#giveUp(entry, 'cancelled');
    if (entry.state !== 'executing') return;
    entry.state = 'over';
    this.#advance();
    this.#executing--;
    this.#observer.executes(entry.from.schema, -1);
    this.#putRight(entry);
    if (entry.lingersMs > 0) this.#clock.after(entry.lingersMs, () => this.#release(entry));
    else this.#release(entry);
  }

  #enterUnqueued(from: Arrival): QueuedRequest | RejectReason {
    if (!this.#hasRoom(seatsOf(from.estimate))) {
      this.counts.rejected++;
      return 'concurrency-limit';
    }
    const entry = new QueuedRequest(this, from, undefined, this.#clock.now(), this.#progress);
    this.#pace.begins();
    this.#begin(entry);
    return entry;
  }

  /** Chooses the queue of a hand with the least work. */
  #choose(hand: readonly number[]): FairQueue<QueuedRequest> {
    const offset = this.#entered++ % hand.length;
    let [chosen, least] = [0, Number.POSITIVE_INFINITY];
    for (let at = 0; at < hand.length; at++) {
      const index = hand[(offset + at) % hand.length] as number;
      const queue = this.#queues.get(index);
      // A queue without executing requests comes before one with them.
      const work = queue ? queue.waitingWork + BUSY_WORK : 0;
      if (work < least) [chosen, least] = [index, work];
    }
    return this.#queues.get(chosen) ?? new FairQueue<QueuedRequest>(chosen);
  }

  #enqueue(queue: FairQueue<QueuedRequest>, entry: QueuedRequest): void {
    if (!queue.isActive) {
      queue.nextStart = this.#progress;
      this.#queues.set(queue.index, queue);
    }
    queue.push(entry);
    queue.bound();
    this.#filled.add(queue);
    this.#waiting++;
    this.#seatsWaiting += entry.seats;
    this.#observer.waits(entry.from.schema, 1);
    this.#observer.queueLength(entry.from.schema, queue.length);
    this.#noteDemand();
  }

  /** Removes a request from its queue, to start or to leave. */
  #dequeue(queue: FairQueue<QueuedRequest>, entry: QueuedRequest): void {
    queue.remove(entry);
    if (queue.length === 0) this.#filled.delete(queue);
    this.#waiting--;
    this.#seatsWaiting -= entry.seats;
    this.#observer.waits(entry.from.schema, -1);
  }

  /** Starts the next waiting request, as there is time for it. @returns whether another one could start */
  resume(): boolean {
    this.#advance();
    const next = this.#nextWithRoom();
    if (next) this.#beginNext(next);
    return this.#nextWithRoom() !== undefined;
  }

  /**
   * While requests wait for time, those of occasional callers go first: by shares alone they would come behind all queues
   * that a busy flow has been dealt. @returns false if there is no such request, or no room for it
   */
  resumeSparse(): boolean {
    // If seats are short as well, shares decide: otherwise callers with one request at a time would get all of them.
    if (this.#limit - this.#seatsInUse < this.#filled.size) return false;
    for (const queue of this.#filled) {
      const entry = queue.oldest;
      if (!queue.isSparse || !entry) continue;
      this.#advance();
      if (this.#seatsInUse >= this.#limit || !this.#hasRoom(entry.seats)) return false;
      this.#beginNext({ queue, entry });
      return true;
    }
    return false;
  }

  #dispatch(): void {
    for (let next = this.#nextWithRoom(); next; next = this.#nextWithRoom()) {
      if (!this.#pace.mayBegin()) {
        this.#pace.hold(this);
        return;
      }
      this.#beginNext(next);
    }
  }

  /** Returns the next request, if there are seats for it. */
  #nextWithRoom(): { readonly queue: FairQueue<QueuedRequest>; readonly entry: QueuedRequest } | undefined {
    if (this.#waiting === 0 || this.#seatsInUse >= this.#limit) return undefined;
    const queue = this.#next();
    const entry = queue?.oldest;
    if (!queue || !entry) return undefined;
    if (this.#hasRoom(entry.seats)) return { queue, entry };
    this.#observer.noRoom(entry.from.schema);
    return undefined;
  }

  #beginNext({ queue, entry }: { readonly queue: FairQueue<QueuedRequest>; readonly entry: QueuedRequest }): void {
    this.#robin = queue.index;
    queue.isSparse = false;
    this.#dequeue(queue, entry);
    entry.cancelTimer();
    queue.executing++;
    queue.seatsInUse += entry.seats;
    queue.nextStart += entry.work;
    this.#begin(entry);
    queue.bound();
    entry.settle(true);
  }

  /** Returns the queue whose oldest request would finish first with equal shares; on a tie the longest unserved. */
  #next(): FairQueue<QueuedRequest> | undefined {
    let chosen: FairQueue<QueuedRequest> | undefined;
    let [soonest, nearest] = [Number.POSITIVE_INFINITY, 0];
    const count = this.#queuing?.queues ?? 1;
    for (const queue of this.#filled) {
      const over = queue.nextStart + (queue.oldest?.work ?? 0);
      const distance = (((queue.index - this.#robin - 1) % count) + count) % count;
      if (over < soonest || (over === soonest && distance < nearest))
        [chosen, soonest, nearest] = [queue, over, distance];
    }
    return chosen;
  }

  /** Whether seats are free; a request for more seats than there are gets all of them alone. */
  #hasRoom(seats: number): boolean {
    return seats > this.#limit ? this.#executing === 0 : this.#seatsInUse + seats <= this.#limit;
  }

  #begin(entry: QueuedRequest): void {
    entry.state = 'executing';
    entry.startedAt = this.#clock.now();
    this.counts.dispatched++;
    this.#executing++;
    this.#seatsInUse += entry.seats;
    this.#observer.executes(entry.from.schema, 1);
    this.#observer.seats(entry.from.schema, entry.seats);
    this.#noteDemand();
  }

  /** Replaces the expected work of a request by the actual one. */
  #putRight(entry: QueuedRequest): void {
    const { queue } = entry;
    if (!queue) return;
    const took = this.#clock.now() - entry.startedAt;
    queue.nextStart -= (EXPECTED_MS - took) * entry.from.estimate.initialSeats;
    queue.executing--;
    this.#dropIdle(queue);
    queue.bound();
  }

  #release(entry: QueuedRequest): void {
    this.#advance();
    this.#seatsInUse -= entry.seats;
    if (entry.queue) entry.queue.seatsInUse -= entry.seats;
    this.#observer.seats(entry.from.schema, -entry.seats);
    this.#noteDemand();
    this.#dispatch();
  }

  #giveUp(entry: QueuedRequest, why: 'timedOut' | 'cancelled'): void {
    const { queue } = entry;
    if (entry.state !== 'waiting' || !queue) return;
    this.#advance();
    entry.state = 'over';
    entry.cancelTimer();
    this.counts[why]++;
    this.#dequeue(queue, entry);
    this.#dropIdle(queue);
    queue.bound();
    this.#noteDemand();
    entry.settle(false);
    // A request for many seats may have blocked others.
    this.#dispatch();
  }

  #dropIdle(queue: FairQueue<QueuedRequest>): void {
    if (!queue.isActive) this.#queues.delete(queue.index);
  }

  #noteDemand(): void {
    this.demand.set(this.#seatsInUse + this.#seatsWaiting, this.#clock.now());
  }

  /** Advances the virtual clock by the work per busy queue; while requests wait for time, no faster than that. */
  #advance(): void {
    const now = this.#clock.now();
    const passed = now - this.#progressAt;
    this.#progressAt = now;
    const active = this.#queues.size;
    if (active === 0) return;
    const wanted = this.#pace.holds(this) ? this.#seatsInUse : this.#seatsInUse + this.#seatsWaiting;
    this.#progress += (passed * Math.min(wanted, this.#limit)) / active;
  }
}
