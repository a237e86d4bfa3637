/** A value of a metric. */
interface Sample {
  /** Labels by name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The value. */
  readonly value: number;
  /** Milliseconds since 1970 at which it was measured; absent for now. */
  readonly at?: number;
}

/** Formats a metric in the text format of Prometheus; nothing without samples. */
export function metricText(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
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
