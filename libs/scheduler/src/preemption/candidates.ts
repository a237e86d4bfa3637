import type { PodInfo } from '@orch/scheduler-plugins';

/** A node on which a pod would fit without some others. */
export interface Candidate {
  /** Name of the node. */
  readonly node: string;
  /** Pods that would have to go, the most important first. */
  readonly victims: readonly PodInfo[];
  /** Number of victims whose deletion violates a budget. */
  readonly violations: number;
}

/** Makes sums of priorities positive, so that fewer pods of a negative priority are better than many. */
const OFFSET = 2 ** 31;

/** Measures that candidates are compared by, one after the other: the lowest is best. */
const MEASURES: readonly ((candidate: Candidate) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? 0,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + OFFSET, 0),
  ({ victims }) => victims.length,
  ({ victims }) => -earliestStart(victims),
];

/** Returns the best of several candidates; undefined for none. */
export function bestCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  let left = candidates;
  for (const measure of MEASURES) {
    if (left.length < 2) break;
    const values = left.map(measure);
    const lowest = Math.min(...values);
    left = left.filter((_, at) => values[at] === lowest);
  }
  return left[0];
}

/** The earliest start of the victims with the highest priority, milliseconds since 1970. */
function earliestStart(victims: readonly PodInfo[]): number {
  const highest = Math.max(...victims.map(({ priority }) => priority));
  const starts = victims.filter(({ priority }) => priority === highest).map(startOf);
  return Math.min(...starts);
}

/** When a pod began to run, milliseconds since 1970; the largest number for one that has not. */
function startOf({ pod }: PodInfo): number {
  const start = pod.status?.startTime;
  return start === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(start);
}

/** Orders pods by importance: higher priority first, then those that began earlier. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || startOf(a) - startOf(b);
}
