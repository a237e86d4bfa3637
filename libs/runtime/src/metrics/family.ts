/** A value for each label name, in the order they were declared. */
export type LabelTuple<L extends readonly string[]> = { readonly [I in keyof L]: string };

/** A metric as it is declared. */
export interface MetricDefinition<L extends readonly string[]> {
  /** As it is printed, with its unit: `apiserver_request_duration_seconds`; no two have the same. */
  readonly name: string;
  /** One sentence; the stability is put before it. */
  readonly help: string;
  /** Names of the labels, in the order in which `with` takes their values. */
  readonly labels: L;
  /** What may change about the metric from release to release; stands before the help, as in `[STABLE]`. Default ALPHA. */
  readonly stability?: 'ALPHA' | 'BETA' | 'STABLE';
  /** Release in which it began to go (`1.27.0`): its help says so, and a minor version later it shows only where it is asked for. */
  readonly deprecated?: string;
  /** Most combinations of label values that are counted apart; further ones share one series. Default 5,000. */
  readonly maxSeries?: number;
}

const MAX_SERIES = 5000;
/** Every label of the series that takes what is over the limit. */
export const OVERFLOW = '(other)';

interface Entry<S> {
  readonly values: readonly string[];
  /** As they are printed: `verb="GET",code="200"`. */
  readonly labels: string;
  readonly series: S;
}

/**
 * The series of one metric by their label values. A caller looks its series up, or keeps it, and then adds to plain
 * numbers; labels are written once, when a series is made.
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
   * The series of these label values. It stays valid for ever: hot paths keep it. What is added to one that was forgotten is printed
   * nowhere.
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

  /** Forgets the series whose labels have these values; none where one of the labels is not among its own. */
  forget(values: Readonly<Record<string, string>>): void {
    const wanted = Object.entries(values).map(([label, value]) => [this.#labels.indexOf(label), value] as const);
    if (wanted.some(([at]) => at < 0)) return;
    for (const [key, entry] of this.#entries)
      if (wanted.every(([at, value]) => entry.values[at] === value)) this.#entries.delete(key);
  }

  /** Every series with its labels as they are printed. */
  *entries(): Generator<Pick<Entry<S>, 'labels' | 'series'>> {
    // Without labels there is one series, which is there from the beginning.
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
