import { type Clock, sleep, systemClock } from '../clock.js';

/** Lets so many begin in a second, one after the other. */
export class Throttle {
  #next = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly perSecond: number,
    private readonly clock: Clock = systemClock,
  ) {}

  /** Resolves when it is the caller's turn. */
  async turn(): Promise<void> {
    const now = this.clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + 1_000 / this.perSecond;
    if (at > now) await sleep(this.clock, at - now);
  }
}
