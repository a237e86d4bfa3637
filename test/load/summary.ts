/** Middle and tail of a set of durations, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Nearest-rank percentiles; NaN when there is nothing to summarise. */
export function latencyOf(milliseconds: readonly number[]): Latency {
  const sorted = Float64Array.from(milliseconds).sort();
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: rank(0.5), p99: rank(0.99) };
}

/** The middle value, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 0 ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** Milliseconds on a clock that all processes of the machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
