import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessIdentity } from './records.js';

/** Fields of /proc/PID/stat behind the program's name, from the state on. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Returns the identity of a process; undefined if there is none. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const stat = statOf(pid);
  return stat && { pid, startTicks: stat[19] ?? '' };
}

/** Returns whether a process still runs, and is no zombie. */
export function isRunning({ pid, startTicks }: ProcessIdentity): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat[19] === startTicks && stat[0] !== 'Z' && stat[0] !== 'X';
}

/** Returns the arguments of a process; empty if there is none. */
export function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/** CPU time and memory of a process. */
interface ProcessUsage {
  readonly cpuNanoseconds: number;
  readonly rssBytes: number;
}

/** Clock ticks a second of /proc, on all processors that Node runs on. */
const TICKS = 100;
const PAGE = 4_096;

/** Returns a process with all processes below it, parents first. */
export function processTree(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? statOf(pid) : undefined;
    if (stat) parents.set(pid, Number(stat[1]));
  }
  const tree = new Set([root]);
  for (const [before] of [...parents].sort(([a], [b]) => a - b)) {
    // Ids may have wrapped around: every process is looked at with its whole line of ancestors.
    for (let pid: number | undefined = before; pid !== undefined && pid > 1; pid = parents.get(pid))
      if (tree.has(pid)) {
        tree.add(before);
        break;
      }
  }
  return [...tree].filter((pid) => pid === root || parents.has(pid));
}

/** Returns the CPU time of a process's first thread, which is exact where ticks are too coarse; 0 if it is not known. */
function scheduledNanoseconds(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

/** Returns the usage of processes together. */
export function usageOf(pids: readonly number[]): ProcessUsage {
  let [ticks, nanoseconds, pages] = [0, 0, 0];
  for (const pid of pids) {
    const stat = statOf(pid) ?? [];
    nanoseconds += scheduledNanoseconds(pid);
    ticks += Number(stat[11] ?? 0) + Number(stat[12] ?? 0);
    pages += Number(stat[21] ?? 0);
  }
  return { cpuNanoseconds: Math.max(nanoseconds, (ticks * 1e9) / TICKS), rssBytes: pages * PAGE };
}
