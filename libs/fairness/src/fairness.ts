import type { Controller } from '@orch/controllers';
import type { OrderedFeed } from '@orch/feed';
import { AT_ONCE, FlowController, LoopPace } from '@orch/flowcontrol';
import type { ApiDeps } from '@orch/handlers';
import type { InformerStore } from '@orch/informers';
import { type Logger, type Metrics, systemClock } from '@orch/runtime';
import type { Features } from '@orch/schema';
import type { RequestKind, Turns } from '@orch/serving';
import { boundedTurns } from './bounded-turns.js';
import { FairTurns } from './fair-turns.js';
import { FlowConfiguration } from './flow-configuration.js';
import { FlowKeeper } from './flow-keeper.js';
import { flowMetrics } from './flow-metrics.js';
import { type FlowPages, flowPages } from './flow-pages.js';
import { workOfRequest } from './work-of-request.js';

/** Seats of a process. */
export interface FairnessLimits {
  /** Seats of each kind of request; with fair queuing all kinds share them. */
  readonly seats: Readonly<Record<RequestKind, number>>;
  /** Milliseconds that a request waits for its turn, at most. */
  readonly maxWaitMs: number;
  /**
   * Milliseconds that a round of the event loop is to take while requests wait to begin; 0 has them begin as they come.
   */
  readonly sliceMs: number;
}

interface FairnessSettings {
  readonly deps: ApiDeps;
  readonly store: InformerStore;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly limits: FairnessLimits;
  readonly features: Features;
  /** Whether this process may maintain the objects that every installation has. */
  readonly decides: boolean;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Priority and fairness of one process: its scheduler and its configuration. */
export class Fairness {
  /** Decides which request is executed next: by priority and fairness, or by fixed limits. */
  readonly turns: Turns;
  /** Debugging pages of the queues; undefined where requests are not queued. */
  readonly pages: FlowPages | undefined;
  readonly #controller: FlowController | undefined;
  readonly #configuration: FlowConfiguration | undefined;
  readonly #keeper: FlowKeeper | undefined;

  constructor(settings: FairnessSettings) {
    const { deps, store, feed, limits, features, decides, metrics, logger } = settings;
    const { seats, maxWaitMs, sliceMs } = limits;
    if (!features.enabled('APIPriorityAndFairness')) {
      this.turns = boundedTurns(seats);
      return;
    }
    const told = flowMetrics(metrics);
    const all = seats.mutating + seats.readOnly;
    const controller = new FlowController({
      ...{ seats: all, maxWaitMs, clock: systemClock, observer: told.observer },
      pace: sliceMs > 0 ? new LoopPace(sliceMs) : AT_ONCE,
    });
    const work = workOfRequest({ served: deps.served, cache: deps.cache, chunking: deps.chunking });
    const onError = (error: unknown) => logger.error('flow control', error);
    this.turns = new FairTurns({ controller, work, metrics: told });
    this.pages = flowPages(controller);
    this.#controller = controller;
    this.#configuration = new FlowConfiguration({ deps, store, feed, controller, onError });
    if (!decides) return;
    this.#keeper = new FlowKeeper({ deps, configuration: this.#configuration });
  }

  /** Loads the configuration. Requests may be answered once it resolves. @throws StatusError, StoreUnavailableError */
  async start(): Promise<void> {
    await this.#configuration?.start();
    await this.#keeper?.keep();
    this.#controller?.start();
  }

  /** Controllers of the objects that every installation has, where this process may maintain them. */
  get controllers(): readonly Controller[] {
    return this.#keeper?.controllers ?? [];
  }

  /** Stops following the configuration. */
  async stop(): Promise<void> {
    this.#controller?.stop();
    this.#configuration?.stop();
  }
}
