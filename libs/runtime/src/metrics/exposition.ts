import type { HistogramSeries } from './histogram.js';

/** Head of a metric in the exposition. */
export interface MetricHead {
  /** Name of the metric family. */
  readonly name: string;
  /** Description of the metric family. */
  readonly help: string;
  /** Type of the metric family. */
  readonly type: 'counter' | 'gauge' | 'histogram';
}

/** The lines before a metric's samples (Prometheus text format, version 0.0.4). */
export const headLines = ({ name, help, type }: MetricHead): string =>
  `# HELP ${name} ${help.replace(/[\\\n]/g, (character) => (character === '\n' ? '\\n' : '\\\\'))}\n# TYPE ${name} ${type}\n`;

/** A line of a sample; `labels` as they are printed, empty for none. */
export const sampleLine = (name: string, labels: string, value: number): string =>
  labels === '' ? `${name} ${printed(value)}\n` : `${name}{${labels}} ${printed(value)}\n`;

/** Formats a histogram series: its cumulative buckets, sum and count. */
export function histogramLines(name: string, labels: string, series: HistogramSeries): string {
  const before = labels === '' ? '' : `${labels},`;
  let text = '';
  for (const [bound, count] of series.cumulative()) text += `${name}_bucket{${before}le="${bound}"} ${count}\n`;
  text += `${name}_bucket{${before}le="+Inf"} ${series.count}\n`;
  return text + sampleLine(`${name}_sum`, labels, series.sum) + sampleLine(`${name}_count`, labels, series.count);
}

function printed(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
