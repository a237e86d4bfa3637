import type { Clock, Logger } from '@orch/runtime';
import { Backoff } from '@orch/runtime/work';

/** A process that does the work. */
export interface WorkerProcess {
  /** Sends a signal to the process. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Events of a process, each reported once. */
export interface WorkerEvents {
  /** The process serves. */
  onReady(): void;
  /** The process is gone. `code` is its exit code; 1 for a process that was killed by a signal. */
  onExit(code: number): void;
}

interface SupervisorSettings {
  readonly count: number;
  /** Starts the process of a place, numbered from 1. */
  readonly fork: (place: number, events: WorkerEvents) => WorkerProcess;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once, when every place has served for the first time. */
  readonly onReady: () => void;
}

/** A worker that has served for so long has not failed for what made the one before fail. */
const STABLE_MS = 60_000;
/** Waits until a process that has ended is started again, milliseconds. */
const RETRY = { firstMs: 1_000, longestMs: 30_000 };
/** Failures of one place in a row after which the whole is given up. */
const MAX_FAILURES = 6;

interface Place {
  readonly number: number;
  worker: WorkerProcess | undefined;
  cancelRestart: (() => void) | undefined;
  /** In a row, without having been stable in between. */
  failures: number;
  readonly backoff: Backoff;
  readyAt: number | undefined;
}

/**
 * Keeps a number of equal processes running. The first is started alone, and what it makes (certificates, tables) is
 * there for the others; if it cannot start, nothing is retried. A worker that dies is restarted after a pause that
 * doubles; one that keeps dying ends all, so that whatever runs this process notices.
 */
export class Supervisor {
  readonly #settings: SupervisorSettings;
  readonly #places: Place[] = [];
  #waiting: number;
  #stopping = false;
  #exitCode = 0;
  #finish: (code: number) => void = () => {};
  /** Resolves with the exit code when every process is gone. */
  readonly finished = new Promise<number>((resolve) => {
    this.#finish = resolve;
  });

  constructor(settings: SupervisorSettings) {
    this.#settings = settings;
    this.#waiting = settings.count;
  }

  /** Starts the first process; the others follow once it serves. */
  start(): void {
    this.#add();
  }

  /** Asks every process to shut down; the second call kills them. */
  stop(): void {
    const signal = this.#stopping ? 'SIGKILL' : 'SIGTERM';
    this.#stopping = true;
    for (const place of this.#places) {
      place.cancelRestart?.();
      place.cancelRestart = undefined;
      place.worker?.kill(signal);
    }
    this.#finishIfGone();
  }

  #add(): void {
    const number = this.#places.length + 1;
    const place: Place = {
      ...{ number, worker: undefined, cancelRestart: undefined, readyAt: undefined },
      ...{ failures: 0, backoff: new Backoff(RETRY) },
    };
    this.#places.push(place);
    this.#fork(place);
  }

  #fork(place: Place): void {
    let served = false;
    place.cancelRestart = undefined;
    place.readyAt = undefined;
    place.worker = this.#settings.fork(place.number, {
      onReady: () => {
        if (served) return;
        served = true;
        this.#ready(place);
      },
      onExit: (code) => this.#exited(place, code),
    });
  }

  #ready(place: Place): void {
    const { clock, count, onReady } = this.#settings;
    place.readyAt = clock.now();
    if (this.#stopping || this.#waiting === 0) return;
    this.#waiting--;
    if (this.#waiting === 0) onReady();
    while (this.#places.length < count) this.#add();
  }

  #exited(place: Place, code: number): void {
    const { clock, logger, count } = this.#settings;
    place.worker = undefined;
    if (this.#stopping) {
      if (code !== 0) this.#exitCode = 1;
      this.#finishIfGone();
      return;
    }
    const began = place.readyAt;
    if (began !== undefined && clock.now() - began >= STABLE_MS) {
      place.failures = 0;
      place.backoff.reset();
    }
    place.failures++;
    const neverServed = this.#waiting === count;
    if (neverServed || place.failures >= MAX_FAILURES) {
      logger.error('workers end again and again', undefined, { worker: place.number, exitCode: code });
      this.#exitCode = 1;
      this.stop();
      return;
    }
    const pause = place.backoff.next();
    logger.warn('a worker has ended and is replaced', { worker: place.number, exitCode: code, afterMs: pause });
    place.cancelRestart = clock.after(pause, () => this.#fork(place));
  }

  #finishIfGone(): void {
    if (this.#places.every(({ worker }) => worker === undefined)) this.#finish(this.#exitCode);
  }
}
