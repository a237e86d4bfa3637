import { Histogram } from 'prom-client';
import type { Family } from './family.js';

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

  /** `value` in the metric's unit: seconds for durations. */
  observe(value: number): void {
    this.#sum += value;
    this.#count += 1;
    const bounds = this.#bounds;
    for (let at = 0; at < bounds.length; at++) {
      if (value <= (bounds[at] ?? 0)) {
        this.#counts[at] = (this.#counts[at] ?? 0) + 1;
        return;
      }
    }
  }

  get sum(): number {
    return this.#sum;
  }

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

/** Lets the library's registry print the series of a family. */
export class FamilyHistogram extends Histogram {
  /** An empty histogram of the library's own: where name, help and type of the printed metric come from. */
  readonly #frame: Histogram;
  readonly #name: string;
  readonly #family: Family<readonly string[], HistogramSeries>;

  constructor(about: { name: string; help: string }, family: Family<readonly string[], HistogramSeries>) {
    super({ ...about, registers: [] });
    this.#frame = new Histogram({ ...about, registers: [] });
    this.#name = about.name;
    this.#family = family;
  }

  override async get(): ReturnType<Histogram['get']> {
    const values = [...this.#family.entries()].flatMap(([labels, series]) => samples(this.#name, labels, series));
    return { ...(await this.#frame.get()), values };
  }

  /** The registry asks this undeclared method first when it prints. */
  getForPromString(): ReturnType<Histogram['get']> {
    return this.get();
  }
}

function samples(name: string, labels: Record<string, string>, series: HistogramSeries) {
  const buckets = [...series.cumulative()].map(([le, value]) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le: String(le) },
    value,
  }));
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: series.count },
    { metricName: `${name}_sum`, labels, value: series.sum },
    { metricName: `${name}_count`, labels, value: series.count },
  ];
}
