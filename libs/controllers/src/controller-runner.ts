import { type Clock, systemClock } from '@orch/runtime';
import { LeaderRounds, type Leadership, WorkQueue } from '@orch/runtime/work';
import type { Controller, Run } from './controller.js';
import type { WorkQueueMetrics } from './work-queue-metrics.js';

export interface ControllerRunnerOptions {
  /** Decides which process runs the controller. */
  readonly leadership: Pick<Leadership, 'leads' | 'renew' | 'giveBack'>;
  readonly metrics: WorkQueueMetrics;
  /** Called with each failure; the key is tried again. `key` is undefined where no key is concerned. */
  readonly onError: (error: unknown, key: string | undefined) => void;
  readonly clock?: Clock;
}

/** Runs a controller in the process that holds its lease: all keys when it comes to lead, then those that change. */
export class ControllerRunner {
  readonly #queue: WorkQueue;
  readonly #rounds: LeaderRounds;
  #subscriptions: (() => void)[] = [];
  /** Counts the times that this process has come to lead; 0 while it does not. */
  #term = 0;
  #terms = 0;

  constructor(
    private readonly controller: Controller,
    private readonly options: ControllerRunnerOptions,
  ) {
    const { leadership, metrics, onError, clock = systemClock } = options;
    const { name, workers, retry } = controller;
    this.#queue = new WorkQueue({
      process: (key) => this.#reconcile(key),
      onError,
      clock,
      observer: metrics.observer(name),
      ...(workers !== undefined && { workers }),
      ...(retry && { retry }),
    });
    metrics.watch(name, this.#queue);
    this.#rounds = new LeaderRounds({
      leadership,
      round: (isNew) => this.#lead(isNew),
      idle: () => void this.#retire(),
      onError: (error) => onError(error, undefined),
      clock,
    });
  }

  /** Begins to compete for the lease, and to listen to the sources. */
  start(): void {
    this.#subscriptions = this.controller.sources.map((source) =>
      source.subscribe((key) => {
        // A process that comes to lead looks at all keys.
        if (this.#term > 0) this.#queue.add(key);
      }),
    );
    this.#rounds.ask();
  }

  /** Queues all keys again, where this process leads: something has changed that no source tells. */
  enqueueAll(): void {
    if (this.#term === 0) return;
    for (const source of this.controller.sources) for (const key of source.keys()) this.#queue.add(key);
  }

  /** Ends after the work under way, and gives the lease back. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    this.#term = 0;
    await this.#queue.stop();
    await this.#rounds.stop();
  }

  async #lead(isNew: boolean): Promise<undefined> {
    // The lease may have lapsed and come back between two rounds: keys whose turn came meanwhile were left out.
    if (isNew) void this.#retire();
    if (this.#term > 0 || this.#rounds.isStopped) return;
    // The leader before may have written what is not known here yet.
    for (const source of this.controller.sources) await source.confirm?.();
    if (this.#rounds.isStopped || !this.options.leadership.leads) return;
    this.#term = ++this.#terms;
    this.enqueueAll();
  }

  #retire(): Promise<void> {
    this.#term = 0;
    return this.#queue.drain();
  }

  async #reconcile(key: string): Promise<void> {
    const term = this.#term;
    const goesOn = () => term > 0 && this.#term === term && this.options.leadership.leads;
    if (!goesOn()) return;
    const run: Run = {
      get goesOn() {
        return goesOn();
      },
    };
    const after = await this.controller.reconcile(key, run);
    if (after !== undefined && goesOn()) this.#queue.addAfter(key, after);
  }
}
