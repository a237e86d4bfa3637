/** Counts of one series, by bucket. */
export class HistogramSeries {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** `bounds`: upper bounds, inclusive, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  /** `value` in the metric's unit: seconds for durations. `times`: counts as this many observations. */
  observe(value: number, times = 1): void {
    this.#sum += value * times;
    this.#count += times;
    const bounds = this.#bounds;
    for (let at = 0; at < bounds.length; at++) {
      if (value <= (bounds[at] ?? 0)) {
        this.#counts[at] = (this.#counts[at] ?? 0) + times;
        return;
      }
    }
  }

  /** Sum of all observed values, in the metric's unit. */
  get sum(): number {
    return this.#sum;
  }

  /** Number of observations, including those above the last bound. */
  get count(): number {
    return this.#count;
  }

  /** Upper bound and number of observations at or below it. */
  *cumulative(): Generator<[number, number]> {
    let total = 0;
    for (const [at, bound] of this.#bounds.entries()) {
      total += this.#counts[at] ?? 0;
      yield [bound, total];
    }
  }
}
