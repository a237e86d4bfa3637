import { readFileSync } from 'node:fs';
import { descendants, processStat } from '../../tools/up/index.js';

/** Length of a clock tick in microseconds; Linux reports CPU times in hundredths of a second to all programs. */
const TICK_US = 10_000;

/** The processes that make up a server under measurement. */
export class ServerProcesses {
  readonly #roots: readonly number[];

  /** Children of the given processes, and theirs, count as well. */
  constructor(roots: readonly number[]) {
    this.#roots = roots;
  }

  /** CPU time in user and kernel mode that all of them took so far, in microseconds. */
  cpuMicroseconds(): number {
    return this.#all().reduce((sum, pid) => sum + (processStat(pid)?.ticks ?? 0) * TICK_US, 0);
  }

  /** Resident memory of all of them in bytes; shared pages count in each process that holds them. */
  residentBytes(): number {
    return this.#all().reduce((sum, pid) => sum + residentBytes(pid), 0);
  }

  #all(): number[] {
    return [...new Set(this.#roots.flatMap((pid) => [pid, ...descendants(pid)]))];
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // a backend that has ended meanwhile
  }
}
