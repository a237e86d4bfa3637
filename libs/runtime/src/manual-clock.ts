import type { Clock, Timer } from './clock.js';

interface Pending {
  readonly due: number;
  readonly fire: () => void;
}

/** A clock that stands still until a test moves it. Timers fire in the order of their due times, then of being set. */
export class ManualClock implements Clock {
  readonly #start: number;
  #elapsed = 0;
  #pending: Pending[] = [];

  /** `start`: the wall time it begins with, milliseconds since the epoch. */
  constructor(start = Date.UTC(2023, 3, 11)) {
    this.#start = start;
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const timer: Pending = { due: this.#elapsed + Math.max(0, delayMs), fire };
    this.#pending.push(timer);
    return {
      cancel: () => {
        this.#pending = this.#pending.filter((other) => other !== timer);
      },
    };
  }

  /** Timers that are set and have not fired: a test's proof that nothing was left behind. */
  get timers(): number {
    return this.#pending.length;
  }

  /** Moves time on by `ms`, firing what falls due; promises settled by a timer run before the next one fires. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settle();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#pending = this.#pending.filter((other) => other !== next);
      this.#elapsed = Math.max(this.#elapsed, next.due);
      next.fire();
      await settle();
    }
    this.#elapsed = end;
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of this.#pending) if (timer.due <= end && (!first || timer.due < first.due)) first = timer;
    return first;
  }
}

/** One turn of the event loop, so that chains of promises have run out. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
