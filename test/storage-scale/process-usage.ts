import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of /proc are hundredths of a second. */
const TICK_SECONDS = 0.01;

function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
}

/** Seconds of CPU that a process has used so far. */
export function cpuSeconds(pid: number): number {
  const stat = statOf(pid);
  return (Number(stat[11]) + Number(stat[12])) * TICK_SECONDS;
}

/** Seconds of CPU that the processes below one have used so far, with those of them that have ended. */
export function childrenCpuSeconds(parent: number): number {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const above = Number(statOf(Number(entry))[1]);
      children.set(above, [...(children.get(above) ?? []), Number(entry)]);
    } catch {
      // It ended between the listing and the reading.
    }
  }
  const below = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + safely(child) + below(child), 0);
  return below(parent);
}

function safely(pid: number): number {
  try {
    return cpuSeconds(pid);
  } catch {
    return 0;
  }
}

/** A figure of /proc/<pid>/status in MiB: `VmHWM` is the most memory since it was last reset. */
export function memoryMiB(pid: number, name: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024);
}
