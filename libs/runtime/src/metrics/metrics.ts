import { setImmediate as nextTurn } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { isDeprecatedIn, isHiddenIn } from './deprecation.js';
import { headLines, histogramLines, type MetricHead, sampleLine } from './exposition.js';
import { Family, type LabelTuple, type LabelValues, type MetricDefinition } from './family.js';
import { HistogramSeries } from './histogram.js';

/**
 * Upper bounds in seconds of the request duration histogram, those of the reference system's
 * `apiserver_request_duration_seconds`.
 */
export const REQUEST_DURATION_BUCKETS: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/**
 * Sampling interval of the event loop's lag: the usual 10 ms wake an idle process a hundred times a second, 1 % of a
 * core.
 */
const LAG_SAMPLE_MS = 100;

/** A number that only grows, from 0 at the start of the process. */
export class CounterSeries {
  #value = 0;

  /** Adds `by`, which must not be negative. */
  inc(by = 1): void {
    this.#value += by;
  }

  /** Sum of all additions. */
  get value(): number {
    return this.#value;
  }
}

/** A number that goes up and down, from 0. */
export class GaugeSeries {
  #value = 0;

  /** Replaces the value; in the metric's unit. */
  set(value: number): void {
    this.#value = value;
  }

  /** Adds `by`, which may be negative. */
  add(by: number): void {
    this.#value += by;
  }

  /** The last set value, with everything added since. */
  get value(): number {
    return this.#value;
  }
}

/** Returns label values and value of each current series. */
export type ReadSeries<L extends readonly string[]> = () => Iterable<readonly [LabelTuple<L>, number]>;

/** Description of a metric without its values. */
export interface MetricDescription {
  /** Printed name, with its unit. */
  readonly name: string;
  /** Type of its samples. */
  readonly type: MetricHead['type'];
  /** Label names, in printed order. */
  readonly labels: readonly string[];
  /** Printed stability; undefined for metrics of the runtime. */
  readonly stability: 'ALPHA' | 'BETA' | 'STABLE' | undefined;
  /** Help without the stability. */
  readonly help: string;
  /** Release of its deprecation, unless that is later than this one. */
  readonly deprecated: string | undefined;
  /** Whether it is only shown on request. */
  readonly hidden: boolean;
}

/** A printable metric: the lines of its series. */
interface Printable {
  readonly about: MetricDescription;
  /** Head with the help's prefix. */
  readonly head: MetricHead;
  readonly shown: boolean;
  samples(): Iterable<string>;
}

/** Characters that are printed before other work runs: some milliseconds' worth. */
const PIECE = 256 << 10;

/** Settings that hide deprecated metrics. */
export interface MetricsSettings {
  /** Release, such as `1.27.16`. Default: one before any deprecation. */
  readonly release?: string;
  /** Shows metrics that are hidden in this release. Default false. */
  readonly showHidden?: boolean;
}

/** The metrics of one process; tests can have several. The callers choose the names. */
export class Metrics {
  readonly #release: string;
  readonly #showHidden: boolean;
  readonly #metrics = new Map<string, Printable>();
  /** Families whose series are kept here. */
  readonly #families: Pick<Family<readonly string[], unknown>, 'forgetting'>[] = [];
  /** Metrics of the runtime, which the library reads. */
  readonly #process = new Registry();

  constructor({ release = '0.0.0', showHidden = false }: MetricsSettings = {}) {
    this.#release = release;
    this.#showHidden = showHidden;
  }

  /** Creates a counter per combination of label values. Throws an Error for a name that is taken. */
  counter<const L extends readonly string[]>(definition: MetricDefinition<L>): Family<L, CounterSeries> {
    return this.#values('counter', definition, new Family(definition, () => new CounterSeries()));
  }

  /** Creates a gauge per combination of label values. Throws an Error for a name that is taken. */
  gauge<const L extends readonly string[]>(definition: MetricDefinition<L>): Family<L, GaugeSeries> {
    return this.#values('gauge', definition, new Family(definition, () => new GaugeSeries()));
  }

  /** Creates a gauge that is read when metrics are collected. */
  observedGauge<const L extends readonly string[]>(definition: MetricDefinition<L>, read: ReadSeries<L>): void {
    this.#observed('gauge', definition, read);
  }

  /** Declares a counter that is kept elsewhere, and read when metrics are collected; its values never fall. */
  observedCounter<const L extends readonly string[]>(definition: MetricDefinition<L>, read: ReadSeries<L>): void {
    this.#observed('counter', definition, read);
  }

  /** `buckets`: upper bounds, ascending, in the metric's unit. */
  histogram<const L extends readonly string[]>(
    definition: MetricDefinition<L> & { readonly buckets: readonly number[] },
  ): Family<L, HistogramSeries> {
    const family = new Family(definition, () => new HistogramSeries(definition.buckets));
    this.#families.push(family);
    this.histogramAlias(definition, family);
    return family;
  }

  /** Prints a histogram under another name as well, with the same labels. */
  histogramAlias<L extends readonly string[]>(
    definition: MetricDefinition<L>,
    family: Family<L, HistogramSeries>,
  ): void {
    this.#add('histogram', definition, function* () {
      for (const { labels, series } of family.entries()) yield histogramLines(definition.name, labels, series);
    });
  }

  /** Adds the usual metrics of the process, its memory, event loop and garbage collection. Once per process. */
  withProcessMetrics(): this {
    collectDefaultMetrics({ register: this.#process, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
    return this;
  }

  /**
   * Forgets the series of every metric with these label values, of an object that is gone. Metrics that are read on
   * collection are left to their owners.
   */
  forget(values: LabelValues): void {
    for (const _step of this.forgetting([values]));
  }

  /** Same for many objects, in steps. */
  *forgetting(gone: readonly LabelValues[]): Generator<undefined, void> {
    for (const family of this.#families) yield* family.forgetting(gone);
  }

  /** Describes every metric, hidden ones too, ordered by name. */
  describe(): MetricDescription[] {
    const own = [...this.#metrics.values()].map(({ about }) => about);
    const all = [...own, ...this.#process.getMetricsAsArray().map(describeRuntime)];
    return all.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Returns the answer to `GET /metrics`. Many series take many turns of the event loop. */
  async text(): Promise<{ contentType: string; body: string }> {
    const pieces: string[] = [];
    let piece = '';
    for (const metric of this.#metrics.values()) {
      if (!metric.shown) continue;
      piece += headLines(metric.head);
      for (const lines of metric.samples()) {
        piece += lines;
        if (piece.length < PIECE) continue;
        pieces.push(piece);
        piece = '';
        await nextTurn();
      }
    }
    return {
      contentType: this.#process.contentType,
      body: `${pieces.join('')}${piece}${await this.#process.metrics()}`,
    };
  }

  #values<L extends readonly string[], S extends { readonly value: number }>(
    type: 'counter' | 'gauge',
    definition: MetricDefinition<L>,
    family: Family<L, S>,
  ): Family<L, S> {
    this.#families.push(family);
    this.#add(type, definition, function* () {
      for (const { labels, series } of family.entries()) yield sampleLine(definition.name, labels, series.value);
    });
    return family;
  }

  /** Returns the current series, bounded in number as all others; those beyond the bound are summed. */
  #observed<L extends readonly string[]>(
    type: 'counter' | 'gauge',
    definition: MetricDefinition<L>,
    read: ReadSeries<L>,
  ): void {
    this.#add(type, definition, function* () {
      const family = new Family(definition, () => new GaugeSeries());
      for (const [values, value] of read()) family.with(...values).add(value);
      for (const { labels, series } of family.entries()) yield sampleLine(definition.name, labels, series.value);
    });
  }

  /** @throws Error for a name that is taken */
  #add(type: MetricHead['type'], definition: MetricDefinition<readonly string[]>, samples: Printable['samples']): void {
    const { name, help, labels, stability = 'ALPHA', deprecated: since } = definition;
    if (this.#metrics.has(name) || this.#process.getSingleMetric(name))
      throw new Error(`there is a metric named ${name} already`);
    const deprecated = since !== undefined && isDeprecatedIn(since, this.#release) ? since : undefined;
    const hidden = since !== undefined && isHiddenIn(since, this.#release);
    const notes = `[${stability}] ${deprecated === undefined ? '' : `(Deprecated since ${deprecated}) `}`;
    this.#metrics.set(name, {
      about: { name, type, labels, stability, help, deprecated, hidden },
      head: { name, type, help: `${notes}${help}` },
      shown: this.#showHidden || !hidden,
      samples,
    });
  }
}

/** Describes a metric of the library, whose types do not declare labels. */
function describeRuntime(metric: { readonly name: string; readonly help: string }): MetricDescription {
  const labels = 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
  const type = metric instanceof Histogram ? 'histogram' : metric instanceof Counter ? 'counter' : 'gauge';
  const { name, help } = metric;
  return { name, type, labels, stability: undefined, help, deprecated: undefined, hidden: false };
}
