/** Requests that wait for their turn though they would have a seat. */
export interface Waiting {
  /** Carries out the next of them. @returns whether another one could be carried out behind it */
  resume(): boolean;
}

/** How fast requests may begin, whatever seats there are. */
export interface Pace {
  /** Whether one that has just come may begin now. */
  mayBegin(): boolean;
  /** Resumes them one by one, in turns with others, when there is time. Those that are held already are not held twice. */
  hold(waiting: Waiting): void;
  /** Whether they are held. */
  holds(waiting: Waiting): boolean;
}

/** Everything begins as it comes. */
export const AT_ONCE: Pace = { mayBegin: () => true, hold: () => undefined, holds: () => false };

/**
 * The time of a process with one thread: what is answered from memory takes no seat that another could wait for, for it is over
 * before the next request has been looked at; but whoever sends a hundred at a time has all of them carried out before
 * that next one. So in each round of the event loop requests begin as they come for so long only. Those behind them, and all that
 * come before these have begun, begin in the next rounds, for so long in each as well and one at least, in the order of the queues in
 * which they wait.
 */
export class LoopPace implements Pace {
  /** Monotonic milliseconds, of the first request of this round; undefined before it. */
  #began: number | undefined;
  readonly #held = new Set<Waiting>();
  #isResuming = false;

  /**
   * @param sliceMs milliseconds of each round in which requests begin; the first does in any case
   * @param nextRound calls back behind everything that is ready now, as `setImmediate` does
   * @param carriedOut calls back in the same round, when what has begun has done what it can do at once
   */
  constructor(
    private readonly sliceMs: number,
    private readonly nextRound: (then: () => void) => void = setImmediate,
    private readonly carriedOut: (then: () => void) => void = behindMicrotasks,
  ) {}

  mayBegin(): boolean {
    if (this.#held.size > 0) return false;
    if (this.#began !== undefined) return performance.now() - this.#began < this.sliceMs;
    this.#began = performance.now();
    this.nextRound(() => {
      this.#began = undefined;
    });
    return true;
  }

  hold(waiting: Waiting): void {
    this.#held.add(waiting);
    this.#resumeSoon();
  }

  holds(waiting: Waiting): boolean {
    return this.#held.has(waiting);
  }

  #resumeSoon(): void {
    if (this.#isResuming || this.#held.size === 0) return;
    this.#isResuming = true;
    this.nextRound(() => this.#resumeSome(performance.now()));
  }

  /** What one costs shows when it has been carried out. */
  #resumeSome(began: number): void {
    this.#resume();
    this.carriedOut(() => {
      if (this.#held.size > 0 && performance.now() - began < this.sliceMs) return this.#resumeSome(began);
      this.#isResuming = false;
      this.#resumeSoon();
    });
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

/** Promises that are settled now have been followed to their ends by then, however many lie behind each other. */
function behindMicrotasks(then: () => void): void {
  queueMicrotask(() => process.nextTick(then));
}
