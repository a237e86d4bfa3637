/** Requests that wait for their turn though they would have a seat. */
export interface Waiting {
  /** How many callers they are of, about. */
  readonly breadth: number;
  /** Carries out the next of them. @returns whether another one could be carried out behind it */
  resume(): boolean;
  /** Carries out the next of those who ask once in a while. @returns false where there is none */
  resumeSparse(): boolean;
}

/** How fast requests may begin, whatever seats there are. */
export interface Pace {
  /** Somebody asks for something. */
  comes(caller: string): void;
  /** A request begins that waits for nothing. */
  begins(): void;
  /** Whether one that has just come may begin now; if so, it does. */
  mayBegin(): boolean;
  /** Resumes them one by one, in turns with others, when there is time. Those that are held already are not held twice. */
  hold(waiting: Waiting): void;
  /** Whether they are held. */
  holds(waiting: Waiting): boolean;
}

/** Everything begins as it comes. */
export const AT_ONCE: Pace = {
  comes: () => undefined,
  begins: () => undefined,
  mayBegin: () => true,
  hold: () => undefined,
  holds: () => false,
};

/** Milliseconds that a round is taken for before anything is known. */
const EXPECTED_MS = 0.1;
/** What a round counts for in the averages, at least; a longer one counts for more, so that nobody waits long until it is known what is dear. */
const NEWEST = 0.01;
const NEWEST_PER_MS = 0.01;
/** Milliseconds beyond which a round tells of something else: the process has stood still. */
const LONGEST_MS = 20;

/**
 * How much longer than they should be rounds may be at most, and how many requests begin in one at least then: each round has a price of its
 * own, which is a good part of a short one.
 */
const LONGEST_TIMES = 8;
/** Requests of those who ask once in a while that begin in a round beside the others. */
const MOST_SPARSE = 64;
/** A caller beside whom nobody has asked for so long is alone, milliseconds. */
const ALONE_AFTER_MS = 1_000;

/**
 * The time of a process with one thread: what is answered from memory takes no seat that another could wait for, for it is over
 * before the next request has been looked at; but whoever sends a hundred at a time has all of them carried out before
 * that next one. So only so many requests begin in each round of the event loop that rounds stay short. Those behind them, and all that
 * come before these have begun, begin in the next rounds, one at least in each, in the order of the queues in which they wait.
 * How many that is follows from how long rounds were for how many requests, those that wait for nothing among them: one costs most of
 * its time after it has begun, when the database has answered, and that cost is in the rounds then. Who asks once in a while is not
 * to blame for long rounds, and does not wait for short ones.
 */
export class LoopPace implements Pace {
  /** Requests that have begun in this round, and that may. */
  #begun = 0;
  #most: number;
  /** Monotonic milliseconds at which this round began, where the one before was measured as well. */
  #since: number | undefined;
  /** Of rounds, the newest counting most: milliseconds, and requests that have begun. */
  #length = EXPECTED_MS;
  #requests = 1;
  #isAsked = false;
  readonly #held = new Set<Waiting>();
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

  hold(waiting: Waiting): void {
    this.#held.add(waiting);
    this.#askRound();
  }

  holds(waiting: Waiting): boolean {
    return this.#held.has(waiting);
  }

  #fitting(): number {
    const times = this.#times();
    return Math.max(Math.floor(times), Math.round((times * this.roundMs * this.#requests) / this.#length));
  }

  /** Short rounds keep a few from making others wait: who is alone keeps nobody, and many who all have as much to ask have their turns by shares. */
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

  /** Notes the round that has just ended; one that waited for something to come tells nothing. */
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
    // It counts as held until it has resumed, and then stands behind the others.
    const goesOn = next.resume();
    this.#held.delete(next);
    if (goesOn) this.#held.add(next);
  }
}
