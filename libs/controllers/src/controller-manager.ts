import { aborted, type Clock, sleep, systemClock } from '@orch/runtime';
import { Backoff, type Leadership } from '@orch/runtime/work';
import type { Controller } from './controller.js';
import { ControllerRunner } from './controller-runner.js';
import { LeadershipLoop } from './leadership-loop.js';
import type { ObservedLease } from './observed-lease.js';
import type { WorkQueueMetrics } from './work-queue-metrics.js';

/** Controllers that another program runs as well, and does so while it holds a lease. */
export interface Yielding {
  /** Lease of the other program. */
  readonly lease: Pick<ObservedLease, 'isHeld' | 'onChange'>;
  /** Returns whether a controller rests while the lease is held. */
  readonly includes: (controller: string) => boolean;
}

/** Dependencies of a {@link ControllerManager}. */
export interface ControllerManagerOptions {
  /** Decides which process runs the controllers. */
  readonly leadership: Pick<Leadership, 'leads' | 'term' | 'renew' | 'giveBack' | 'renewalMs' | 'remainingMs'>;
  /** Metrics of the queues. */
  readonly metrics: WorkQueueMetrics;
  /** Controllers that rest while another program holds a lease. Default: none. */
  readonly yielding?: Yielding;
  /**
   * Called with each failure, which is retried; without a controller where the lease, or catching up with earlier
   * writes, is concerned.
   */
  readonly onError: (error: unknown, controller?: string, key?: string) => void;
  /** Default: the machine's time. */
  readonly clock?: Clock;
}

/** Waits between attempts of a controller to catch up with earlier writes, milliseconds. */
const RETRY = { firstMs: 250, longestMs: 5_000 };

/** Runs controllers in the one process that holds the lease. */
export class ControllerManager {
  readonly #runners: readonly ControllerRunner[];
  readonly #loop: LeadershipLoop;
  readonly #clock: Clock;
  /** The last beginning of each controller that runs, or is about to; one that rests has none. */
  readonly #beginnings = new Map<ControllerRunner, object>();
  #unsubscribe = (): void => undefined;
  /** The term that controllers have begun; undefined between terms. */
  #term: number | undefined;

  /** @param controllers controllers to run; each name once. @throws Error for a name that two of them have */
  constructor(
    controllers: readonly Controller[],
    private readonly options: ControllerManagerOptions,
  ) {
    const { leadership, metrics, onError, clock = systemClock } = options;
    const shared = { metrics, onError, leads: () => leadership.leads, clock };
    const twice = controllers.find(({ name }, at) => controllers.findIndex((other) => other.name === name) !== at);
    if (twice) throw new Error(`two controllers are called ${twice.name}`);
    this.#clock = clock;
    this.#runners = controllers.map((controller) => new ControllerRunner(controller, shared));
    this.#loop = new LeadershipLoop({
      ...{ leadership, clock },
      lead: (term) => this.#lead(term),
      retire: () => this.#retire(),
      onError: (error) => onError(error),
    });
  }

  /** Begins to listen to the sources, and to compete for the lease. */
  start(): void {
    for (const runner of this.#runners) runner.listen();
    const { yielding } = this.options;
    if (yielding) this.#unsubscribe = yielding.lease.onChange(() => this.#yield(yielding));
    this.#loop.start();
  }

  /** Queues all keys of all controllers again, where this process leads: for a change that no source reports. */
  enqueueAll(): void {
    for (const runner of this.#runners) runner.enqueueAll();
  }

  /**
   * Ends after the work under way, and gives the lease back. Work that lasts until `deadline` is left to itself: its
   * clients do not write any more.
   */
  async stop(deadline?: AbortSignal): Promise<void> {
    this.#loop.halt();
    this.#unsubscribe();
    this.#term = undefined;
    this.#beginnings.clear();
    await Promise.race([Promise.all(this.#runners.map((runner) => runner.stop())), aborted(deadline)]);
    await this.#loop.stop();
  }

  #lead(term: number): void {
    this.#term = term;
    // None waits for the sources of another, and the lease is renewed meanwhile.
    for (const runner of this.#runners) if (!this.#rests(runner)) void this.#begin(runner, term);
  }

  #rests({ name }: ControllerRunner): boolean {
    const { yielding } = this.options;
    return yielding?.lease.isHeld === true && yielding.includes(name);
  }

  /** Has controllers rest, or begin, as the lease of the other program has been taken or is free. */
  #yield({ lease, includes }: Yielding): void {
    for (const runner of this.#runners) {
      if (!includes(runner.name)) continue;
      if (lease.isHeld) this.#rest(runner);
      else if (this.#term !== undefined) void this.#begin(runner, this.#term);
    }
  }

  async #begin(runner: ControllerRunner, term: number): Promise<void> {
    const beginning = {};
    this.#beginnings.set(runner, beginning);
    const goesOn = () => this.#beginnings.get(runner) === beginning && this.options.leadership.term === term;
    const backoff = new Backoff(RETRY);
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
    for (const runner of this.#runners) this.#rest(runner);
  }

  #rest(runner: ControllerRunner): void {
    this.#beginnings.delete(runner);
    void runner.retire();
  }
}
