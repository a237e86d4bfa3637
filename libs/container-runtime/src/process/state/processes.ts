import { readdirSync, readFileSync } from 'node:fs';
import { sleep, systemClock } from '@orch/runtime/clock';
import type { ProcessIdentity } from './records.js';

const LOOK_MS = 5;

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

/** Kills a process, if it still runs, and waits for its end. */
export async function killProcess(identity: ProcessIdentity): Promise<void> {
  while (isRunning(identity)) {
    try {
      process.kill(identity.pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
    await sleep(systemClock, LOOK_MS);
  }
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

/** All processes of the machine, by who has started them. Reading it takes long where there are many. */
export class ProcessTable {
  readonly #children = new Map<number, number[]>();

  constructor() {
    for (const name of readdirSync('/proc')) {
      const pid = Number(name);
      const stat = Number.isInteger(pid) ? statOf(pid) : undefined;
      if (!stat) continue;
      const parent = Number(stat[1]);
      const siblings = this.#children.get(parent);
      if (siblings) siblings.push(pid);
      else this.#children.set(parent, [pid]);
    }
  }

  /** Returns a process with all processes below it, parents first. */
  tree(root: number): number[] {
    const tree = new Set([root]);
    // What is added meanwhile is visited too.
    for (const pid of tree) for (const child of this.#children.get(pid) ?? []) tree.add(child);
    return [...tree];
  }
}

/** Returns a process with all processes below it, parents first. */
export const processTree = (root: number): number[] => new ProcessTable().tree(root);

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
