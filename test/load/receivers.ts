import { setTimeout as pause } from 'node:timers/promises';
import { Histogram } from './histogram.js';
import { type Latency, now } from './summary.js';
import type { Counting, WatchLoad, WatchMethods, WorkerReading } from './watchers.worker.js';
import { Worker } from './worker.js';

export type ReceiversLoad = Omit<WatchLoad, 'localAddress'>;

export interface WatchReading extends Omit<WorkerReading, 'ages'> {
  readonly latency: Latency;
}

/** Watchers that one process reads for, and one source address has ports for. */
const WATCHERS_PER_PROCESS = 2_500;
/** The streams count as settled when no byte came for so long. */
const SETTLED_MS = 400;
const SETTLE_LIMIT_MS = 120_000;

/** Watchers in processes of their own, as many as it takes, each process from a loopback address of its own. */
export class Receivers {
  readonly #workers: Worker<WatchMethods>[] = [];
  #used = 0;

  /** Opens more watches, in processes that have none. */
  async open(load: ReceiversLoad): Promise<void> {
    const processes = Math.ceil(load.watchers / WATCHERS_PER_PROCESS);
    await Promise.all(
      Array.from({ length: processes }, (_, index) => {
        const place = this.#used++;
        const worker = this.#worker(place);
        const watchers = share(load.watchers, processes, index);
        const paths = load.paths.length > 1 ? load.paths.filter((_, at) => at % processes === index) : load.paths;
        const distant = load.endpoint.host === '127.0.0.1' && load.streamsPerConnection === undefined;
        return worker.call('open', {
          ...load,
          watchers,
          paths,
          ...(distant && { localAddress: sourceAddress(place) }),
        });
      }),
    );
  }

  /** Counts from nothing; to be called while nothing comes. */
  async reset(count: Counting): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.call('reset', count)));
  }

  async read(): Promise<WatchReading> {
    return merged(await Promise.all(this.#workers.map((worker) => worker.call('read', undefined as never))));
  }

  /** Returns what was received, once nothing more arrives. */
  async settled(): Promise<WatchReading> {
    const deadline = now() + SETTLE_LIMIT_MS;
    for (;;) {
      const reading = await this.read();
      if (now() - reading.last > SETTLED_MS || now() > deadline) return reading;
      await pause(50);
    }
  }

  /** Ends all watches. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.call('close', undefined as never)));
    this.#used = 0;
  }

  /** Ends the processes. */
  stop(): void {
    for (const worker of this.#workers) worker.stop();
  }

  #worker(place: number): Worker<WatchMethods> {
    const worker = this.#workers[place] ?? new Worker<WatchMethods>(new URL('./watchers.worker.ts', import.meta.url));
    this.#workers[place] = worker;
    return worker;
  }
}

/** The part of `total` that the `index`-th of `parts` takes; the first take what is left over. */
export function share(total: number, parts: number, index: number): number {
  return Math.floor(total / parts) + (index < total % parts ? 1 : 0);
}

const sourceAddress = (place: number): string => `127.0.0.${2 + (place % 250)}`;

export function merged(readings: readonly WorkerReading[]): WatchReading {
  const sum = (value: (reading: WorkerReading) => number) =>
    readings.reduce((total, reading) => total + value(reading), 0);
  const counted = readings.filter(({ fewest }) => Number.isFinite(fewest));
  const ages = readings.reduce((all, reading) => all.add(reading.ages), new Histogram());
  return {
    bytes: sum(({ bytes }) => bytes),
    events: sum(({ events }) => events),
    fewest: Math.min(...counted.map(({ fewest }) => fewest)),
    ended: sum(({ ended }) => ended),
    last: Math.max(...readings.map(({ last }) => last)),
    cpuMicroseconds: sum(({ cpuMicroseconds }) => cpuMicroseconds),
    latency: { p50: ages.percentile(0.5), p99: ages.percentile(0.99) },
  };
}
