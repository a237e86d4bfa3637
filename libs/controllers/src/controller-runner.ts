import type { Clock } from '@orch/runtime';
import { WorkQueue } from '@orch/runtime/work';
import { type Controller, type ReconcileRun, RequeueError } from './controller.js';
import type { WorkQueueMetrics } from './work-queue-metrics.js';

/** Dependencies of a {@link ControllerRunner}. */
interface ControllerRunnerOptions {
  /** Metrics of its queue. */
  readonly metrics: WorkQueueMetrics;
  /** Called with each failure of a reconciliation; the key is tried again. */
  readonly onError: (error: unknown, controller: string, key: string) => void;
  /** Whether this process still leads. */
  readonly leads: () => boolean;
  /** Clock for backoff and delays. */
  readonly clock: Clock;
}

/** Runs one controller: all of its keys when a term begins, then those that change. */
export class ControllerRunner {
  readonly #queue: WorkQueue;
  #subscriptions: (() => void)[] = [];
  /** Counts the terms; work begun in one does not continue in another. */
  #terms = 0;
  #isActive = false;

  /** @param controller controller to run */
  constructor(
    private readonly controller: Controller,
    private readonly options: ControllerRunnerOptions,
  ) {
    const { metrics, onError, clock } = options;
    const { name, workers, retry, restMs } = controller;
    this.#queue = new WorkQueue({
      process: (key) => this.#reconcile(key),
      onError: (error, key) => {
        if (!(error instanceof RequeueError)) onError(error, name, key);
      },
      observer: metrics.observer(name),
      clock,
      ...(workers !== undefined && { workers }),
      ...(retry && { retry }),
      ...(restMs !== undefined && { restMs }),
    });
    metrics.watch(name, this.#queue);
  }

  /** Name of the controller. */
  get name(): string {
    return this.controller.name;
  }

  /** Listens to the sources. */
  listen(): void {
    this.#subscriptions = this.controller.sources.map((source) =>
      source.subscribe((key) => {
        // All keys are queued when a term begins.
        if (this.#isActive) this.#queue.add(key);
      }),
    );
  }

  /** Resolves when the sources hold everything that previous leaders may have written. */
  async confirm(): Promise<void> {
    for (const source of this.controller.sources) await source.confirm?.();
  }

  /** Begins a term with all keys. */
  begin(): void {
    this.#isActive = true;
    this.#terms++;
    this.enqueueAll();
  }

  /** Queues all keys again. Does nothing between terms. */
  enqueueAll(): void {
    if (!this.#isActive) return;
    for (const source of this.controller.sources) for (const key of source.keys()) this.#queue.add(key);
  }

  /** Ends a term: forgets the keys that wait. Resolves when the work under way has ended. */
  retire(): Promise<void> {
    this.#isActive = false;
    return this.#queue.drain();
  }

  /** Ends for good. Resolves when the work under way has ended. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    this.#isActive = false;
    await this.#queue.stop();
  }

  async #reconcile(key: string): Promise<void> {
    const term = this.#terms;
    const goesOn = () => this.#isActive && this.#terms === term && this.options.leads();
    if (!goesOn()) return;
    const run: ReconcileRun = {
      get goesOn() {
        return goesOn();
      },
    };
    try {
      const after = await this.controller.reconcile(key, run);
      if (after !== undefined && goesOn()) this.#queue.addAfter(key, after);
    } catch (error) {
      // A write that this process may not make any more was refused: the process that leads by now makes it.
      if (goesOn()) throw error;
    }
  }
}
