const WINDOW_MS = 1_000;

/** Maximum number of concurrent requests within the last second, which sampling would miss. Times are monotonic ms. */
export class Inflight {
  #inside = 0;
  #windowStart = 0;
  #highest = 0;
  #highestBefore = 0;

  enter(now: number): void {
    this.#turn(now);
    this.#inside++;
    if (this.#inside > this.#highest) this.#highest = this.#inside;
  }

  leave(): void {
    this.#inside--;
  }

  highest(now: number): number {
    this.#turn(now);
    return Math.max(this.#highest, this.#highestBefore);
  }

  #turn(now: number): void {
    const passed = now - this.#windowStart;
    if (passed < WINDOW_MS) return;
    this.#highestBefore = passed < 2 * WINDOW_MS ? this.#highest : this.#inside;
    this.#highest = this.#inside;
    this.#windowStart = now;
  }
}
