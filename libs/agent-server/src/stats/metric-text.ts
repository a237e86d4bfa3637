/** A value of a metric. */
export interface Sample {
  /** Labels by name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The value. */
  readonly value: number;
  /** Milliseconds since 1970 at which it was measured; absent for now. */
  readonly at?: number;
}

/** A metric, and how its samples are taken from a source. */
export interface Metric<Source> {
  /** Name, which says the unit. */
  readonly name: string;
  /** Type. */
  readonly type: 'counter' | 'gauge';
  /** Description. */
  readonly help: string;
  /** Returns its samples; a metric without any is left out. */
  samples(source: Source): readonly Sample[];
}

/** Formats the metrics of a source in the text format of Prometheus. */
export const metricsText = <Source>(metrics: readonly Metric<Source>[], source: Source): string =>
  metrics.map((metric) => textOf(metric, metric.samples(source))).join('');

function textOf({ name, type, help }: Metric<never>, samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const lines = samples.map(({ labels = {}, value, at }) => {
    const entries = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    const of = entries.length > 0 ? `{${entries.join(',')}}` : '';
    return `${name}${of} ${value}${at === undefined ? '' : ` ${Math.round(at)}`}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (text: string): string => text.replace(/[\\"\n]/g, (char) => ESCAPES[char] ?? char);
