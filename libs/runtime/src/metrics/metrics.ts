import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Family, type LabelTuple, type MetricDefinition } from './family.js';
import { FamilyHistogram, HistogramSeries } from './histogram.js';

/** Upper bounds in seconds of the request duration histogram, those of the reference system's `apiserver_request_duration_seconds`. */
export const REQUEST_DURATION_BUCKETS: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

export class CounterSeries {
  #value = 0;

  /** Adds `by`, which is not negative. */
  inc(by = 1): void {
    this.#value += by;
  }

  get value(): number {
    return this.#value;
  }
}

export class GaugeSeries {
  #value = 0;

  set(value: number): void {
    this.#value = value;
  }

  add(by: number): void {
    this.#value += by;
  }

  get value(): number {
    return this.#value;
  }
}

/** The metrics of one process; several can live side by side in tests. Names are the callers'. */
export class Metrics {
  readonly #registry = new Registry();

  counter<const L extends readonly string[]>(definition: MetricDefinition<L>): Family<L, CounterSeries> {
    const family = new Family(definition, () => new CounterSeries());
    new Counter({
      ...this.#about(definition),
      collect() {
        this.reset();
        for (const [labels, series] of family.entries()) this.inc(labels, series.value);
      },
    });
    return family;
  }

  gauge<const L extends readonly string[]>(definition: MetricDefinition<L>): Family<L, GaugeSeries> {
    const family = new Family(definition, () => new GaugeSeries());
    new Gauge({
      ...this.#about(definition),
      collect() {
        this.reset();
        for (const [labels, series] of family.entries()) this.set(labels, series.value);
      },
    });
    return family;
  }

  /** A gauge that is read when metrics are asked for: `read` gives label values and value of each series. */
  observedGauge<const L extends readonly string[]>(
    definition: MetricDefinition<L>,
    read: () => Iterable<readonly [LabelTuple<L>, number]>,
  ): void {
    const about = this.#about(definition);
    new Gauge({
      ...about,
      collect() {
        this.reset();
        const family = new Family(definition, () => new GaugeSeries());
        for (const [values, value] of read()) family.with(...values).set(value);
        for (const [labels, series] of family.entries()) this.set(labels, series.value);
      },
    });
  }

  /** `buckets`: upper bounds, ascending, in the metric's unit. */
  histogram<const L extends readonly string[]>(
    definition: MetricDefinition<L> & { readonly buckets: readonly number[] },
  ): Family<L, HistogramSeries> {
    const family = new Family(definition, () => new HistogramSeries(definition.buckets));
    const { name, help } = definition;
    this.#registry.registerMetric(new FamilyHistogram({ name, help }, family));
    return family;
  }

  /** Adds the usual metrics of the process, its memory, event loop and garbage collection. Once per process. */
  withProcessMetrics(): this {
    collectDefaultMetrics({ register: this.#registry });
    return this;
  }

  /** The answer to `GET /metrics`. */
  async text(): Promise<{ contentType: string; body: string }> {
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  #about({ name, help, labels }: MetricDefinition<readonly string[]>) {
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }
}
