import { cpus } from 'node:os';
import type { Clock } from '@orch/runtime';

/** CPU time of the machine. */
export interface NodeCpu {
  /** Nanoseconds on all cores since the machine was started. */
  readonly usageCoreNanoseconds: number;
  /** Nanoseconds per second since it was measured before; absent for the first time. */
  readonly usageNanoCores?: number;
}

/** Milliseconds between two measurements that a rate is computed of, at least. */
const LEAST_MS = 1_000;
const NANOSECONDS_PER_MS = 1e6;

/** Measures the CPU time of the machine. */
export class CpuMeter {
  #last: { readonly at: number; readonly used: number } | undefined;
  #rate: number | undefined;

  /** @param clock of the times of measurements @param cpuTime tells the nanoseconds of all cores; another one for tests */
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly cpuTime: () => number = machineTime,
  ) {}

  /** Measures it now. */
  usage(): NodeCpu {
    const at = this.clock.now();
    const used = this.cpuTime();
    if (!this.#last || at - this.#last.at >= LEAST_MS) {
      if (this.#last) this.#rate = Math.max(0, ((used - this.#last.used) / (at - this.#last.at)) * 1000);
      this.#last = { at, used };
    }
    return {
      usageCoreNanoseconds: used,
      ...(this.#rate !== undefined && { usageNanoCores: Math.round(this.#rate) }),
    };
  }
}

const machineTime = (): number =>
  NANOSECONDS_PER_MS * cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
