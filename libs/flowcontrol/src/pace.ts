/** Requests that wait for time though there are seats. */
export interface PausedRequests {
  /** Approximate number of their callers. */
  readonly breadth: number;
  /** Starts the next of them. @returns whether another one could start after it */
  resume(): boolean;
  /** Starts the next of an occasional caller. @returns false if there is none */
  resumeSparse(): boolean;
}

/** Limits how fast requests may start, independently of seats. */
export interface StartLimiter {
  /** A caller makes a request. */
  comes(caller: string): void;
  /** A request starts without waiting. */
  begins(): void;
  /** Whether an arriving request may start now; if so, it does. */
  mayBegin(): boolean;
  /** Resumes waiting requests one by one, in turns with others, when there is time. A second call has no effect. */
  hold(waiting: PausedRequests): void;
  /** Whether they are held. */
  holds(waiting: PausedRequests): boolean;
}

/** No limit: every request starts when it arrives. */
export const AT_ONCE: StartLimiter = {
  comes: () => undefined,
  begins: () => undefined,
  mayBegin: () => true,
  hold: () => undefined,
  holds: () => false,
};

/** Assumed milliseconds of a round before anything is known. */
const EXPECTED_MS = 0.1;
/** Least weight of a round in the averages; a longer one has more, so that expensive requests are noticed soon. */
const NEWEST = 0.01;
const NEWEST_PER_MS = 0.01;
/** Milliseconds beyond which a round has another cause: the process was paused. */
const LONGEST_MS = 20;

/**
 * Maximum factor by which rounds may be longer than they should be, and minimum of requests that begin in one then:
 * each round has a fixed cost, which is a good part of a short one.
 */
const LONGEST_TIMES = 8;
/** Requests of occasional callers that start in a round beside the others. */
const MOST_SPARSE = 64;
/** Milliseconds without another caller after which a caller is alone. */
const ALONE_AFTER_MS = 1_000;

/**
 * Shares the time of a single-threaded process: a request answered from memory takes no seat that another could wait
 * for, as it ends before the next one is looked at; but a client that sends a hundred at a time has all of them
 * executed before that next one. So the number of requests that begin in each round of the event loop is limited to
 * keep rounds short. Those beyond it, and all that arrive before these have begun, begin in the next rounds, at least
 * one in each, in the order of the queues in which they wait. The limit follows from how long rounds took for how many
 * requests, including those that need not wait: a request costs most of its time after it has begun, when the database
 * has answered, and that cost shows in the rounds then. Occasional callers do not cause long rounds, and need not wait
 * for short ones.
 */
export class LoopPace implements StartLimiter {
  /** Requests that have started in this round, and that may. */
  #begun = 0;
  #most: number;
  /** Monotonic milliseconds at which this round began, if the one before was measured as well. */
  #since: number | undefined;
  /** Averages of rounds, the newest weighing most: milliseconds, and requests that have begun. */
  #length = EXPECTED_MS;
  #requests = 1;
  #isAsked = false;
  readonly #held = new Set<PausedRequests>();
  #caller = '';
  #otherAt = 0;

  /**
   * @param roundMs milliseconds that a round of the event loop should take while requests wait to begin
   * @param nextRound calls back behind everything that is ready now, as `setImmediate` does
   * @param now monotonic milliseconds
   */
  constructor(
    private readonly roundMs: number,
    private readonly nextRound: (then: () => void) => void = setImmediate,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#most = this.#fitting();
  }

  comes(caller: string): void {
    if (caller === this.#caller) return;
    this.#caller = caller;
    this.#otherAt = this.now();
  }

  mayBegin(): boolean {
    if (this.#held.size > 0 || this.#begun >= this.#most) return false;
    this.begins();
    return true;
  }

  begins(): void {
    this.#begun++;
    this.#askRound();
  }

  hold(waiting: PausedRequests): void {
    this.#held.add(waiting);
    this.#askRound();
  }

  holds(waiting: PausedRequests): boolean {
    return this.#held.has(waiting);
  }

  #fitting(): number {
    const times = this.#times();
    return Math.max(Math.floor(times), Math.round((times * this.roundMs * this.#requests) / this.#length));
  }

  /**
   * Returns the factor for rounds. Short rounds keep a few callers from delaying others: a single caller delays none,
   * and many with equal demand take turns by shares.
   */
  #times(): number {
    if (this.now() - this.#otherAt > ALONE_AFTER_MS) return LONGEST_TIMES;
    let callers = 0;
    for (const { breadth } of this.#held) callers += breadth;
    return Math.min(LONGEST_TIMES, Math.max(1, callers));
  }

  #askRound(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.nextRound(() => this.#round());
  }

  #round(): void {
    this.#isAsked = false;
    this.#learn();
    this.#begun = 0;
    this.#most = this.#fitting();
    const sparse = this.#resumeSparse();
    for (; this.#held.size > 0 && this.#begun < this.#most; this.#begun++) this.#resume();
    this.#begun += sparse;
    if (this.#begun > 0) this.#askRound();
  }

  /** @returns how many */
  #resumeSparse(): number {
    let count = 0;
    for (const waiting of this.#held) while (count < MOST_SPARSE && waiting.resumeSparse()) count++;
    return count;
  }

  /** Records the round that has just ended; one that waited for input shows nothing. */
  #learn(): void {
    const now = this.now();
    if (this.#since !== undefined && this.#begun > 0) {
      const length = Math.min(LONGEST_MS, Math.max(Number.EPSILON, now - this.#since));
      const weight = Math.max(NEWEST, NEWEST_PER_MS * length);
      this.#length += weight * (length - this.#length);
      this.#requests += weight * (this.#begun - this.#requests);
    }
    this.#since = this.#held.size > 0 ? now : undefined;
  }

  #resume(): void {
    const [next] = this.#held;
    if (!next) return;
    // Held until it has resumed, and then queued behind the others.
    const goesOn = next.resume();
    this.#held.delete(next);
    if (goesOn) this.#held.add(next);
  }
}
