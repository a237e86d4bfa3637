/** Each bucket is so much wider than the one before: the error of what is read out. */
const STEP = 1.01;
const LOG_STEP = Math.log(STEP);
/** Lower end of the first bucket, in milliseconds; 2,000 buckets reach beyond an hour. */
const LEAST = 0.01;
const BUCKETS = 2_000;

/** Durations in milliseconds, exact to a hundredth, in memory that does not grow with their number; plain data, to be sent. */
export type Counts = readonly (readonly [bucket: number, count: number])[];

export class Histogram {
  readonly #counts = new Float64Array(BUCKETS);
  #total = 0;

  record(milliseconds: number): void {
    const bucket = Math.ceil(Math.log(Math.max(milliseconds, LEAST) / LEAST) / LOG_STEP);
    this.#add(Math.min(bucket, BUCKETS - 1), 1);
  }

  add(counts: Counts): this {
    for (const [bucket, count] of counts) this.#add(bucket, count);
    return this;
  }

  counts(): Counts {
    return [...this.#counts.entries()].filter(([, count]) => count > 0);
  }

  /** The upper end of the bucket that holds the nearest rank; NaN when nothing was recorded. */
  percentile(share: number): number {
    let left = Math.ceil(share * this.#total);
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (count > 0 && left <= 0) return LEAST * STEP ** bucket;
    }
    return Number.NaN;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
  }

  #add(bucket: number, count: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    this.#total += count;
  }
}
