import { type Clock, systemClock } from '@orch/runtime';
import { LeaderRounds, type Leadership } from '@orch/runtime/work';
import type { Controller } from './controller.js';
import { ControllerRunner } from './controller-runner.js';
import type { WorkQueueMetrics } from './work-queue-metrics.js';

/** Dependencies of a {@link ControllerManager}. */
export interface ControllerManagerOptions {
  /** Decides which process runs the controllers. */
  readonly leadership: Pick<Leadership, 'leads' | 'renew' | 'giveBack'>;
  /** Metrics of the queues. */
  readonly metrics: WorkQueueMetrics;
  /** Called with each failure, which is tried again; without a controller where the lease, or what was written before, is concerned. */
  readonly onError: (error: unknown, controller?: string, key?: string) => void;
  /** Default: the machine's time. */
  readonly clock?: Clock;
}

/** Runs controllers in the one process that holds the lease. */
export class ControllerManager {
  readonly #runners: readonly ControllerRunner[];
  readonly #rounds: LeaderRounds;
  #leads = false;

  /** @param controllers what is run; each name once */
  constructor(
    controllers: readonly Controller[],
    private readonly options: ControllerManagerOptions,
  ) {
    const { leadership, metrics, onError, clock = systemClock } = options;
    const shared = { metrics, onError, leads: () => leadership.leads, clock };
    this.#runners = controllers.map((controller) => new ControllerRunner(controller, shared));
    this.#rounds = new LeaderRounds({
      leadership,
      round: (isNew) => this.#lead(isNew),
      idle: () => this.#retire(),
      onError: (error) => onError(error),
      clock,
    });
  }

  /** Begins to listen to the sources, and to compete for the lease. */
  start(): void {
    for (const runner of this.#runners) runner.listen();
    this.#rounds.ask();
  }

  /** Queues all keys of all controllers again, where this process leads: something has changed that no source tells. */
  enqueueAll(): void {
    for (const runner of this.#runners) runner.enqueueAll();
  }

  /** Ends after the work under way, and gives the lease back. */
  async stop(): Promise<void> {
    await Promise.all(this.#runners.map((runner) => runner.stop()));
    await this.#rounds.stop();
  }

  async #lead(isNew: boolean): Promise<undefined> {
    // The lease may have lapsed and come back between two rounds: keys whose turn came meanwhile were left out.
    if (isNew) this.#retire();
    if (this.#leads || this.#rounds.isStopped) return;
    for (const runner of this.#runners) await runner.confirm();
    if (this.#rounds.isStopped || !this.options.leadership.leads) return;
    this.#leads = true;
    for (const runner of this.#runners) runner.begin();
  }

  #retire(): void {
    this.#leads = false;
    for (const runner of this.#runners) void runner.retire();
  }
}
