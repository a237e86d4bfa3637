import { RoundCosts } from './round-costs.js';

/** Requests that wait for their turn though they would have a seat. */
export interface Waiting {
  /** Carries out the next of them. @returns whether another one could be carried out behind it */
  resume(): boolean;
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

/** A caller beside whom nobody has asked for so long has the loop to itself, milliseconds. */
const ALONE_AFTER_MS = 1_000;
/** How much longer than they should be rounds may be then. */
const ALONE = 8;
/** Rounds are long that take so many times as long as they should. */
const LONG = 2;
/** The time that requests have there, as a part of what rounds take for other things. */
const SHARE = { beside: 1 / 4, alone: 1 } as const;

/**
 * The time of a process with one thread: what is answered from memory takes no seat that another could wait for, for it is over
 * before the next request has been looked at; but whoever sends a hundred at a time has all of them carried out before
 * that next one. So only so many requests begin in each round of the event loop that rounds stay short. Those behind them, and all that
 * come before these have begun, begin in the next rounds, one at least in each, in the order of the queues in which they wait.
 * How many that is follows from how long rounds were for how many requests, those that wait for nothing among them: one costs most of
 * its time after it has begun, when the database has answered, and that cost is in the rounds then. Where other things make rounds long,
 * few requests would not make them short: then these have a fifth of the time.
 */
export class LoopPace implements Pace {
  /** Requests that have begun in this round. */
  #begun = 0;
  /** Monotonic milliseconds at which this round began, where the one before was measured as well. */
  #since: number | undefined;
  readonly #costs: RoundCosts;
  /** Requests that may begin in this round. */
  #most: number;
  #isAsked = false;
  readonly #held = new Set<Waiting>();
  #caller = '';
  #otherAt = 0;

  /**
   * @param roundMs milliseconds that a round of the event loop should take while requests wait to begin
   * @param nextRound calls back behind everything that is ready now, as `setImmediate` does
   */
  constructor(
    private readonly roundMs: number,
    private readonly nextRound: (then: () => void) => void = setImmediate,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#costs = new RoundCosts(LONG * roundMs);
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
    const isAlone = this.now() - this.#otherAt > ALONE_AFTER_MS;
    const { average, areLong, each, others } = this.#costs;
    const fitting = Math.max(1, Math.round(((isAlone ? ALONE : 1) * this.roundMs) / average));
    if (!areLong) return fitting;
    const share = SHARE[isAlone ? 'alone' : 'beside'];
    return this.#costs.wanted(Math.max(fitting, Math.round((share * others) / each)));
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
    for (; this.#held.size > 0 && this.#begun < this.#most; this.#begun++) this.#resume();
    if (this.#begun > 0) this.#askRound();
  }

  /** What requests cost, by the round that has just ended; one that waited for something to come tells nothing of that. */
  #learn(): void {
    const now = this.now();
    if (this.#since !== undefined && this.#begun > 0) this.#costs.note(this.#begun, now - this.#since);
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
