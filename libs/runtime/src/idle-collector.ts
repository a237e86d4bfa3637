import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, systemClock } from './clock.js';

/** The parts of a process that a collector uses; the process itself, except in tests. */
export interface CollectedProcess {
  /** Milliseconds of CPU used so far. */
  cpu(): number;
  /** Resident bytes. */
  rss(): number;
  /** Collects all garbage, at once. */
  collect(): void;
}

/** When a process returns memory. */
export interface IdleCollectorSettings {
  /** Milliseconds that a process must be quiet before it collects; 0 for never. */
  readonly quietMs: number;
  /** Times the measurements. Default: the system's. */
  readonly clock?: Clock;
  /** Process to measure and collect. Default: this process, for which V8's `--expose-gc` is turned on. */
  readonly process?: CollectedProcess;
}

/** Measurements within the quiet time. */
const CHECKS = 5;
/** Share of one core below which a process counts as quiet. */
const QUIET_SHARE = 0.05;
/** Growth since the last collection that is worth another, bytes. */
const WORTH_BYTES = 24 << 20;

/**
 * Returns memory after a load. V8 collects as its heap grows: an idle process keeps the memory of its last busy moment
 * for ever. Once a process has been quiet for a while it collects twice: the second collection frees what the first
 * finds dead, buffers above all. It delays no request, as there are none then.
 */
export class IdleCollector {
  readonly #clock: Clock;
  readonly #process: CollectedProcess;
  readonly #quietMs: number;
  #cancel: (() => void) | undefined;
  #cpu = 0;
  #quietChecks = 0;
  #again = false;
  #after = 0;

  constructor({ quietMs, clock = systemClock, process = thisProcess() }: IdleCollectorSettings) {
    this.#quietMs = quietMs;
    this.#clock = clock;
    this.#process = process;
  }

  /** Starts measuring the process; a no-op when `quietMs` is 0. Must be called once. */
  start(): void {
    if (this.#quietMs === 0) return;
    this.#cpu = this.#process.cpu();
    this.#after = this.#process.rss();
    this.#schedule();
  }

  /** Stops measuring; may be called at any time. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(this.#quietMs / CHECKS, () => {
      this.#look();
      this.#schedule();
    });
  }

  #look(): void {
    const cpu = this.#process.cpu();
    const quiet = cpu - this.#cpu < (this.#quietMs / CHECKS) * QUIET_SHARE;
    this.#cpu = cpu;
    this.#quietChecks = quiet ? this.#quietChecks + 1 : 0;
    if (this.#again) this.#collect(false);
    else if (this.#quietChecks >= CHECKS && this.#process.rss() - this.#after >= WORTH_BYTES) this.#collect(true);
  }

  #collect(again: boolean): void {
    this.#process.collect();
    this.#again = again;
    this.#after = this.#process.rss();
    // The time of collecting does not count as busy.
    this.#cpu = this.#process.cpu();
  }
}

function thisProcess(): CollectedProcess {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return {
    cpu() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    rss: () => process.memoryUsage.rss(),
    collect,
  };
}
