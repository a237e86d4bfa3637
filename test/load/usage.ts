import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { descendants, processStat } from '../../tools/up/index.js';

/** Length of a clock tick in microseconds; Linux reports CPU times in hundredths of a second to all programs. */
const TICK_US = 10_000;
const NS_PER_US = 1_000;
const SAMPLE_MS = 100;

/** The processes that make up a server under measurement. */
export class ServerProcesses {
  readonly #roots: () => readonly number[];

  /** Children of the given processes, and theirs, count as well. They are asked for each time, as servers are restarted. */
  constructor(roots: () => readonly number[]) {
    this.#roots = roots;
  }

  /** Process ids, without those of children. */
  get roots(): readonly number[] {
    return this.#roots();
  }

  /** CPU time in user and kernel mode that all of them took so far, in microseconds. */
  cpuMicroseconds(): number {
    return this.#all().reduce((sum, pid) => sum + cpuMicroseconds(pid), 0);
  }

  /** Resident memory of all of them in bytes; shared pages count in each process that holds them. */
  residentBytes(): number {
    return this.#all().reduce((sum, pid) => sum + residentBytes(pid), 0);
  }

  /** Memory of all of them in bytes, where shared pages are divided among the processes that hold them. */
  proportionalBytes(): number {
    return this.#all().reduce((sum, pid) => sum + proportionalBytes(pid), 0);
  }

  /** Resident memory by the name of the program, those of a name together. */
  residentBytesByName(): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const pid of this.#all()) {
      const name = programName(pid);
      if (name !== undefined) found.set(name, (found.get(name) ?? 0) + residentBytes(pid));
    }
    return found;
  }

  /**
   * How long their main threads have been on a core so far, and how long they were ready to run while others were, in
   * microseconds.
   */
  mainThreads(): { readonly ran: number; readonly waited: number } {
    const times = this.#all().map((pid) => schedule(`/proc/${pid}/schedstat`));
    return {
      ran: times.reduce((sum, { ran }) => sum + ran, 0),
      waited: times.reduce((sum, { waited }) => sum + waited, 0),
    };
  }

  /** Most file descriptors that any of them may have open; Infinity when nothing is known. */
  descriptorLimit(): number {
    return Math.min(...this.#roots().map(descriptorLimit));
  }

  /** Runs something and reads how much resident memory they had at most meanwhile, in bytes. */
  async peakDuring<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly peak: number }> {
    let peak = this.residentBytes();
    const done = new AbortController();
    const sampling = (async () => {
      while (!done.signal.aborted) {
        peak = Math.max(peak, this.residentBytes());
        await pause(SAMPLE_MS);
      }
    })();
    try {
      return { result: await run(), peak };
    } finally {
      done.abort();
      await sampling;
    }
  }

  #all(): number[] {
    return [...new Set(this.#roots().flatMap((pid) => [pid, ...descendants(pid)]))];
  }
}

/** From the scheduler, which counts nanoseconds of each thread; in ticks where the kernel does not tell. */
function cpuMicroseconds(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + schedule(`/proc/${pid}/task/${thread}/schedstat`).ran, 0);
  } catch {
    return (processStat(pid)?.ticks ?? 0) * TICK_US;
  }
}

/** Times of a thread in microseconds. Throws where the kernel does not tell. */
function schedule(file: string): { readonly ran: number; readonly waited: number } {
  const [ran, waited] = readFileSync(file, 'utf8').split(' ').map(Number);
  return { ran: (ran ?? 0) / NS_PER_US, waited: (waited ?? 0) / NS_PER_US };
}

/** A line of a file in `/proc`, undefined when the process has ended meanwhile. */
function procLine(pid: number, file: string, pattern: RegExp): string | undefined {
  try {
    return pattern.exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

const residentBytes = (pid: number): number => Number(procLine(pid, 'status', /VmRSS:\s+(\d+) kB/) ?? 0) * 1024;
const proportionalBytes = (pid: number): number =>
  Number(procLine(pid, 'smaps_rollup', /^Pss:\s+(\d+) kB/m) ?? 0) * 1024;
const programName = (pid: number): string | undefined => procLine(pid, 'comm', /^(.*)/);
const descriptorLimit = (pid: number): number =>
  Number(procLine(pid, 'limits', /Max open files\s+(\d+)/) ?? Number.POSITIVE_INFINITY);
