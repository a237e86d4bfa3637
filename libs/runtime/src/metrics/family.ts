/** A value for each label name, in the order they were declared. */
export type LabelTuple<L extends readonly string[]> = { readonly [I in keyof L]: string };

export interface MetricDefinition<L extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  /** Names of the labels, in the order in which `with` takes their values. */
  readonly labels: L;
  /** Most combinations of label values that are counted apart; further ones share one series. Default 5,000. */
  readonly maxSeries?: number;
}

const MAX_SERIES = 5000;
/** Every label of the series that takes what is over the limit. */
export const OVERFLOW = '(other)';

/**
 * The series of one metric by their label values. The library hashes an object of labels on every observation
 * (2 to 4 µs on the machine that this was written on); here a caller looks its series up, or keeps it, and then adds to plain numbers.
 */
export class Family<L extends readonly string[], S> {
  readonly #labels: L;
  readonly #max: number;
  readonly #create: () => S;
  readonly #series = new Map<string, { readonly values: readonly string[]; readonly series: S }>();
  #overflow: S | undefined;

  constructor(definition: MetricDefinition<L>, create: () => S) {
    this.#labels = definition.labels;
    this.#max = definition.maxSeries ?? MAX_SERIES;
    this.#create = create;
  }

  /** The series of these label values. It stays valid for ever: hot paths keep it. */
  with(...values: LabelTuple<L>): S {
    const key = values.join('\0');
    const known = this.#series.get(key);
    if (known) return known.series;
    if (this.#series.size >= this.#max) {
      this.#overflow ??= this.#create();
      return this.#overflow;
    }
    const series = this.#create();
    this.#series.set(key, { values: [...values], series });
    return series;
  }

  /** Every series with its labels. */
  *entries(): Generator<[Record<string, string>, S]> {
    for (const { values, series } of this.#series.values()) yield [this.#named(values), series];
    if (this.#overflow !== undefined) yield [this.#named(this.#labels.map(() => OVERFLOW)), this.#overflow];
  }

  #named(values: readonly string[]): Record<string, string> {
    return Object.fromEntries(this.#labels.map((label, at) => [label, values[at] ?? '']));
  }
}
