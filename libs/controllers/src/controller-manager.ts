import { type Clock, sleep, systemClock } from '@orch/runtime';
import { Backoff, LeaderRounds, type Leadership } from '@orch/runtime/work';
import type { Controller } from './controller.js';
import { ControllerRunner } from './controller-runner.js';
import type { WorkQueueMetrics } from './work-queue-metrics.js';

/** Dependencies of a {@link ControllerManager}. */
export interface ControllerManagerOptions {
  /** Decides which process runs the controllers. */
  readonly leadership: Pick<Leadership, 'leads' | 'term' | 'renew' | 'giveBack'>;
  /** Metrics of the queues. */
  readonly metrics: WorkQueueMetrics;
  /** Called with each failure, which is tried again; without a controller where the lease, or what was written before, is concerned. */
  readonly onError: (error: unknown, controller?: string, key?: string) => void;
  /** Default: the machine's time. */
  readonly clock?: Clock;
}

/** Waits between attempts of a controller to learn what was written before, milliseconds. */
const CONFIRM_RETRY = { firstMs: 250, longestMs: 5_000 };

/** Runs controllers in the one process that holds the lease. */
export class ControllerManager {
  readonly #runners: readonly ControllerRunner[];
  readonly #rounds: LeaderRounds;
  readonly #clock: Clock;
  /** The term that controllers have begun; undefined between terms. */
  #term: number | undefined;
  #isStopped = false;

  /** @param controllers what is run; each name once */
  constructor(
    controllers: readonly Controller[],
    private readonly options: ControllerManagerOptions,
  ) {
    const { leadership, metrics, onError, clock = systemClock } = options;
    const shared = { metrics, onError, leads: () => leadership.leads, clock };
    this.#clock = clock;
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

  /**
   * Ends after the work under way, and gives the lease back. Work that lasts until `deadline` is left to itself: its clients do not write
   * any more.
   */
  async stop(deadline?: AbortSignal): Promise<void> {
    this.#isStopped = true;
    this.#term = undefined;
    await Promise.race([Promise.all(this.#runners.map((runner) => runner.stop())), aborted(deadline)]);
    await this.#rounds.stop();
  }

  async #lead(isNew: boolean): Promise<undefined> {
    // The lease may have lapsed and come back between two rounds: keys whose turn came meanwhile were left out.
    if (isNew) this.#retire();
    const { term } = this.options.leadership;
    if (this.#term !== undefined || term === undefined || this.#isStopped) return;
    this.#term = term;
    // None waits for the sources of another, and the lease is renewed meanwhile.
    for (const runner of this.#runners) void this.#begin(runner, term);
  }

  async #begin(runner: ControllerRunner, term: number): Promise<void> {
    const goesOn = () => this.#term === term && this.options.leadership.term === term;
    const backoff = new Backoff(CONFIRM_RETRY);
    while (goesOn()) {
      try {
        await runner.confirm();
        if (goesOn()) runner.begin();
        return;
      } catch (error) {
        if (goesOn()) this.options.onError(error, runner.name);
        await sleep(this.#clock, backoff.next());
      }
    }
  }

  #retire(): void {
    this.#term = undefined;
    for (const runner of this.#runners) void runner.retire();
  }
}

/** Never resolves without a signal. */
const aborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
