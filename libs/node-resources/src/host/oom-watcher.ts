import { uptime } from 'node:os';
import type { EventSink } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import { Periodic } from '../periodic.js';
import { type KernelLog, openKernelLog } from './kernel-log.js';

/** Settings of {@link OomWatcher}. */
interface OomWatcherSettings {
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Clock of the interval. */
  readonly clock: Clock;
  /** Logs that the log of the kernel cannot be read. */
  readonly logger: Logger;
  /** Opens the log of the kernel; another one for tests. */
  readonly open?: () => Promise<KernelLog>;
  /** Returns the microseconds since the start of the machine; another clock for tests. */
  readonly sinceStart?: () => number;
}

const EVERY_MS = 10_000;
/** Text of the kernel when the whole machine is out of memory; a control group has another one. */
const KILLED = /(?:^|\s)Out of memory(?: \([^)]*\))?: Killed process (\d+) \((.*)\)(?: total-vm|,|$)/;

/** Reports processes that the kernel kills because the machine is out of memory (event `SystemOOM`). */
export class OomWatcher {
  readonly #periodic: Periodic;
  readonly #since: number;
  #log: KernelLog | undefined;
  #cannotRead = false;

  constructor(private readonly settings: OomWatcherSettings) {
    const { clock, logger, sinceStart = () => uptime() * 1e6 } = settings;
    // What happened before was reported by the process before, or by nobody.
    this.#since = sinceStart();
    const work = () => this.look();
    this.#periodic = new Periodic({
      name: 'the look at the log of the kernel',
      everyMs: EVERY_MS,
      work,
      clock,
      logger,
    });
  }

  /** Begins to look. */
  start(): void {
    this.#periodic.start();
  }

  /** Ends that. */
  async stop(): Promise<void> {
    await this.#periodic.stop();
    await this.#log?.close();
  }

  /** Reports what came since the last look. Where the log cannot be read, that is told once. */
  async look(): Promise<void> {
    const log = await this.#opened();
    for (const { at, text } of (await log?.read()) ?? []) {
      const [, pid, name] = KILLED.exec(text) ?? [];
      if (at < this.#since || pid === undefined) continue;
      const message = `System OOM encountered, victim process: ${name}, pid: ${pid}`;
      this.settings.events.ofNode('Warning', 'SystemOOM', message);
    }
  }

  async #opened(): Promise<KernelLog | undefined> {
    const { open = openKernelLog, logger } = this.settings;
    if (this.#log || this.#cannotRead) return this.#log;
    try {
      this.#log = await open();
    } catch (error) {
      this.#cannotRead = true;
      logger.info('the log of the kernel cannot be read: nothing tells when the machine is out of memory', {
        err: String(error),
      });
    }
    return this.#log;
  }
}
