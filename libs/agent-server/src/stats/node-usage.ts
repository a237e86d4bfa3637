import { readFile, statfs } from 'node:fs/promises';
import { cpus, uptime } from 'node:os';
import type { Clock } from '@orch/runtime';

/** Usage of the machine. */
export interface MachineUsage {
  /** Milliseconds since 1970 at which it was measured. */
  readonly at: number;
  /** Milliseconds since 1970 at which the machine was started. */
  readonly startedAt: number;
  /** Nanoseconds of CPU on all cores since then. */
  readonly cpuNanoseconds: number;
  /** Nanoseconds of CPU per second since it was measured before; absent for the first time. */
  readonly cpuNanoCores?: number;
  /** Memory in bytes: available without swapping, in use, and what cannot be reclaimed easily. */
  readonly memory: { readonly available: number; readonly usage: number; readonly workingSet: number };
}

/** Usage of a file system; bytes and counts. */
export interface FsUsage {
  /** Milliseconds since 1970 at which it was measured. */
  readonly at: number;
  /** Size. */
  readonly capacityBytes: number;
  /** Free for programs without privileges. */
  readonly availableBytes: number;
  /** In use. */
  readonly usedBytes: number;
  /** Number of inodes. */
  readonly inodes: number;
  /** Free inodes. */
  readonly inodesFree: number;
  /** Inodes in use. */
  readonly inodesUsed: number;
}

/** Milliseconds between two measurements that a rate is computed of, at least. */
const LEAST_MS = 1_000;
const NANOSECONDS = 1e6;

/** Measures the machine. */
export class NodeMeter {
  #last: { readonly at: number; readonly used: number } | undefined;
  #rate: number | undefined;

  /** @param clock of the times of measurements */
  constructor(private readonly clock: Pick<Clock, 'wall'>) {}

  /** Measures it now. */
  async usage(): Promise<MachineUsage> {
    const at = this.clock.wall();
    const used = cpuTime();
    if (!this.#last || at - this.#last.at >= LEAST_MS) {
      if (this.#last) this.#rate = Math.max(0, ((used - this.#last.used) / (at - this.#last.at)) * 1000);
      this.#last = { at, used };
    }
    const memory = memoryOf(await readFile('/proc/meminfo', 'utf8'));
    const startedAt = at - Math.round(uptime() * 1000);
    return {
      at,
      startedAt,
      cpuNanoseconds: used,
      ...(this.#rate !== undefined && { cpuNanoCores: Math.round(this.#rate) }),
      memory,
    };
  }
}

const cpuTime = (): number =>
  NANOSECONDS * cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

/** Reads the kernel's table of memory. */
function memoryOf(text: string): MachineUsage['memory'] {
  const bytes = (name: string): number =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
  const [total, free, available] = [bytes('MemTotal'), bytes('MemFree'), bytes('MemAvailable')];
  return { available, usage: total - free, workingSet: total - available };
}

/** Measures the file system of a folder. @param clock of the time of the measurement */
export async function fsUsage(folder: string, clock: Pick<Clock, 'wall'>): Promise<FsUsage> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(folder);
  return {
    at: clock.wall(),
    ...{ capacityBytes: blocks * bsize, availableBytes: bavail * bsize, usedBytes: (blocks - bfree) * bsize },
    ...{ inodes: files, inodesFree: ffree, inodesUsed: files - ffree },
  };
}
