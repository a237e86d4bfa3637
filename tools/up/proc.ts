import { readdirSync, readFileSync } from 'node:fs';

/** Fields of `/proc/PID/stat` (proc(5)). */
export interface ProcessStat {
  /** Process id. */
  readonly pid: number;
  /** Process id of the parent. */
  readonly parent: number;
  /** State, as `R` (running), `S` (sleeping) or `Z` (zombie). */
  readonly state: string;
  /** CPU time in user and kernel mode, in clock ticks (1/100 s on Linux). */
  readonly ticks: number;
  /** Start time in ticks since boot: with the pid, names a process for good. */
  readonly startTicks: number;
}

/** Undefined when there is no such process. */
export function processStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the command in parentheses, which may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (index: number) => Number(fields[index - 3]);
  return {
    pid,
    state: fields[0] ?? '?',
    parent: number(4),
    ticks: number(14) + number(15),
    startTicks: number(22),
  };
}

/** Whether a process exists and is more than a zombie. */
export function isAlive(pid: number): boolean {
  const stat = processStat(pid);
  return stat !== undefined && stat.state !== 'Z';
}

/** Process ids of all children, their children, and so on. */
export function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? processStat(Number(entry)) : undefined;
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), stat.pid]);
  }
  const found: number[] = [];
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const direct = children.get(next) ?? [];
    found.push(...direct);
    open.push(...direct);
  }
  return found;
}
