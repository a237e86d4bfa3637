import type { Clock } from '../clock.js';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly task: () => void;
}

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  readonly #start: number;
  #now = 0;
  #order = 0;
  #timers = new Set<Timer>();
  #soon: (() => void)[] = [];

  /** @param start the wall time that it begins with, milliseconds since the epoch; `now` begins with 0 */
  constructor(start = Date.UTC(2023, 3, 11)) {
    this.#start = start;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#start + this.#now;
  }

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  soon(task: () => void): void {
    this.#soon.push(task);
  }

  /** Lets `ms` pass: every timer runs at its time, and whatever promises settle on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.task();
      await this.settle();
    }
    this.#now = end;
  }

  /** As `advance`, for what waits for nothing but timers: no promise settles on the way. */
  advanceNow(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.task();
    }
    this.#now = end;
  }

  /** Runs what needs no time: promises, and tasks of the next turn. */
  async settle(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve));
      const tasks = this.#soon;
      this.#soon = [];
      for (const task of tasks) task();
    } while (this.#soon.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#soon.length > 0) await this.settle();
  }

  /** Timers that are set and have not fired: a test's proof that nothing was left behind. */
  get pending(): number {
    return this.#timers.size;
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    return next;
  }
}
