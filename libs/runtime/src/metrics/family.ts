/** A value for each label name, in the order they were declared. */
export type LabelTuple<L extends readonly string[]> = { readonly [I in keyof L]: string };

/** Declaration of a metric. */
export interface MetricDefinition<L extends readonly string[]> {
  /** Printed name, with its unit: `apiserver_request_duration_seconds`; unique. */
  readonly name: string;
  /** Help sentence; the stability is printed before it. */
  readonly help: string;
  /** Names of the labels, in the order of the arguments of `with`. */
  readonly labels: L;
  /** Stability between releases; printed before the help, as in `[STABLE]`. Default ALPHA. */
  readonly stability?: 'ALPHA' | 'BETA' | 'STABLE';
  /**
   * Release that deprecates the metric (`1.27.0`): its help says so, and a minor version later it is hidden unless
   * hidden metrics are shown.
   */
  readonly deprecated?: string;
  /** Most combinations of label values that are counted apart; further ones share one series. Default 5,000. */
  readonly maxSeries?: number;
}

/** Values of some labels, by their names. */
export type LabelValues = Readonly<Record<string, string>>;

/** Sets of values for the same label names. */
interface SameNames {
  readonly names: readonly string[];
  /** Values of each label, in the order of the names. */
  readonly each: readonly Set<string>[];
  /** The joined values of each, in that order. */
  readonly together: Set<string>;
}

function byNames(all: readonly LabelValues[]): Iterable<SameNames> {
  const groups = new Map<string, SameNames>();
  for (const labels of all) {
    const names = Object.keys(labels).sort();
    const group = groups.get(names.join()) ?? { names, each: names.map(() => new Set<string>()), together: new Set() };
    groups.set(names.join(), group);
    const values = names.map((name) => labels[name] ?? '');
    for (const [at, value] of values.entries()) group.each[at]?.add(value);
    group.together.add(values.join('\0'));
  }
  return groups.values();
}

const MAX_SERIES = 5000;
/** Value of every label in the series for those over the limit. */
const OVERFLOW = '(other)';

interface Entry<S> {
  readonly values: readonly string[];
  /** Printed labels: `verb="GET",code="200"`. */
  readonly labels: string;
  readonly series: S;
}

/**
 * The series of one metric by their label values. A caller looks its series up, or keeps it, and then adds to plain
 * numbers; labels are formatted once, when a series is made.
 */
export class Family<L extends readonly string[], S> {
  readonly #labels: L;
  readonly #max: number;
  readonly #create: () => S;
  readonly #entries = new Map<string, Entry<S>>();
  #overflow: S | undefined;

  constructor(definition: MetricDefinition<L>, create: () => S) {
    this.#labels = definition.labels;
    this.#max = definition.maxSeries ?? MAX_SERIES;
    this.#create = create;
  }

  /**
   * Returns the series of these label values. It stays valid for ever: hot paths keep it. Samples of a forgotten series
   * are not printed.
   */
  with(...values: LabelTuple<L>): S {
    const key = values.join('\0');
    const known = this.#entries.get(key);
    if (known) return known.series;
    if (this.#entries.size >= this.#max) {
      this.#overflow ??= this.#create();
      return this.#overflow;
    }
    const series = this.#create();
    this.#entries.set(key, { values, labels: this.#printed(values), series });
    return series;
  }

  /**
   * Forgets the series that match one of `gone` by label values; none for one with a label that the metric lacks. All
   * series are scanned once for each set of label names.
   */
  *forgetting(gone: readonly LabelValues[]): Generator<undefined, void> {
    for (const { names, each, together } of byNames(gone)) {
      const places = names.map((name) => this.#labels.indexOf(name));
      if (places.includes(-1)) continue;
      for (const [key, { values }] of this.#entries) {
        // Most fail the first check, which allocates no text.
        if (!places.every((place, at) => each[at]?.has(values[place] ?? ''))) continue;
        if (together.has(places.map((place) => values[place]).join('\0'))) this.#entries.delete(key);
      }
      yield undefined;
    }
  }

  /** Returns every series with its printed labels. */
  *entries(): Generator<Pick<Entry<S>, 'labels' | 'series'>> {
    // Without labels there is one series, which exists from the beginning.
    if (this.#labels.length === 0) (this as unknown as Family<readonly [], S>).with();
    yield* this.#entries.values();
    const overflow = this.#labels.map(() => OVERFLOW);
    if (this.#overflow !== undefined) yield { labels: this.#printed(overflow), series: this.#overflow };
  }

  #printed(values: readonly string[]): string {
    return this.#labels.map((label, at) => `${label}="${escaped(values[at] ?? '')}"`).join(',');
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (value: string): string => value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? character);
