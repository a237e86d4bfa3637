import { aborted } from './aborted.js';
import { type Clock, sleep, systemClock } from './clock.js';
import { type Logger, silentLogger } from './logging/logger.js';

/** A part of the process that is started once and stopped once. */
export interface Component {
  /** Name for the log, and for the error of a component that does not stop. */
  readonly name: string;
  /** Resolves when components started later can use it. */
  start(): Promise<void>;
  /**
   * Finishes work in flight, then releases everything. `deadline` aborts when the time for finishing is over. Also
   * called after a failed start, for its partial results.
   */
  stop(deadline: AbortSignal): Promise<void>;
}

/** Definitions of the options of {@link LifecycleSettings}. */
export const lifecycleOptions = {
  'shutdown-delay-duration': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'How long the server continues to serve, with failing readiness, after a shutdown has begun.',
  },
  'shutdown-drain-duration': {
    type: 'duration',
    default: 60_000,
    min: 0,
    help: 'How long requests in flight may take to finish after the server has stopped accepting requests. Those that remain are cut.',
  },
} as const;

/** Settings of start and stop; everything has a default. */
export interface LifecycleSettings {
  /** Time between readiness failing and the first component's stop, ms. Default 0. */
  readonly shutdownDelayMs?: number;
  /**
   * Milliseconds that all components together get for a clean stop. Default 60,000. One that is still starting gets
   * 3,000 before it, or as much if that is less.
   */
  readonly drainMs?: number;
  /** Measures delay and deadline. Default: the system's. */
  readonly clock?: Clock;
  /** Logs components that fail; at verbosity 1 each start and stop. Default: none. */
  readonly logger?: Logger;
}

/** Milliseconds after the deadline that a component may take to release its resources before it is given up. */
const ABANDON_MS = 2000;
const DRAIN_MS = 60_000;
/** Milliseconds that a component in start may take to be ready once a shutdown has begun: no client is served yet. */
const START_MS = 3000;

/**
 * Starts components in the order they were added and stops them in the reverse order. A shutdown first aborts
 * {@link stopping} (readiness fails, load balancers move on), waits the shutdown delay while requests are still served,
 * then stops the components under one common deadline.
 */
export class Lifecycle {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #settings: LifecycleSettings;
  readonly #components: Component[] = [];
  readonly #started: Component[] = [];
  readonly #stopping = new AbortController();
  readonly #failures: unknown[] = [];
  readonly #leftStart = new AbortController();
  #starting: Promise<void> | undefined;
  #stopped: Promise<readonly unknown[]> | undefined;

  constructor(settings: LifecycleSettings = {}) {
    this.#settings = settings;
    this.#clock = settings.clock ?? systemClock;
    this.#logger = settings.logger ?? silentLogger;
  }

  /** Aborts when a shutdown begins. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /**
   * Aborts when a shutdown gives up a component that keeps starting: it was not stopped, and may keep the process
   * alive.
   */
  get leftStart(): AbortSignal {
    return this.#leftStart.signal;
  }

  /** Appends a component. Throws an Error once the start has begun. */
  add(component: Component): this {
    if (this.#starting) throw new Error(`component ${component.name} was added after the start`);
    this.#components.push(component);
    return this;
  }

  /**
   * Starts everything. If a component fails, it and those before it are stopped and its error is thrown. Resolves early
   * when a shutdown has begun, see {@link stopping}: an error from then on is a consequence of that, and no failure.
   */
  async start(): Promise<void> {
    this.#starting ??= this.#startAll();
    try {
      await Promise.race([this.#starting, aborted(this.leftStart)]);
    } catch (error) {
      const wasTold = this.#stopping.signal.aborted;
      await this.stop();
      if (!wasTold) throw error;
      this.#logger.info('the start was aborted', { reason: (error as Error).message });
    }
  }

  /**
   * Stops everything, once: later calls get the same promise. Resolves with the failures, of {@link fail} and of
   * components that threw or did not stop in time; empty when all went well. Never rejects.
   */
  stop(): Promise<readonly unknown[]> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  /**
   * Shuts down because a component cannot continue: without the shutdown delay, and with `error` among the failures.
   */
  fail(error: unknown): void {
    this.#logger.error('component failed, shutting down', error);
    this.#failures.push(error);
    void this.stop();
  }

  async #startAll(): Promise<void> {
    for (const component of this.#components) {
      if (this.#stopping.signal.aborted) return;
      try {
        await component.start();
      } finally {
        // Including one that has failed: it may have opened something before.
        this.#started.push(component);
      }
      this.#logger.v(1)?.info('component started', { component: component.name });
    }
  }

  async #stopAll(): Promise<readonly unknown[]> {
    this.#stopping.abort();
    const running = await this.#startEnded();
    const delay = this.#settings.shutdownDelayMs ?? 0;
    if (running && this.#failures.length === 0 && delay > 0) await sleep(this.#clock, delay);
    const deadline = new AbortController();
    const cancel = this.#clock.after(this.#settings.drainMs ?? DRAIN_MS, () => deadline.abort());
    for (const component of this.#started.toReversed()) {
      try {
        await this.#stopOne(component, deadline.signal);
        this.#logger.v(1)?.info('component stopped', { component: component.name });
      } catch (error) {
        this.#logger.error('component did not stop cleanly', error, { component: component.name });
        this.#failures.push(error);
      }
    }
    cancel();
    return this.#failures;
  }

  /**
   * Whether everything has started. Waits for the current component, but not for ever: those before it must be stopped.
   */
  async #startEnded(): Promise<boolean> {
    const finished = new AbortController();
    const late = async (): Promise<boolean> => {
      await sleep(this.#clock, Math.min(START_MS, this.#settings.drainMs ?? DRAIN_MS), finished.signal);
      if (finished.signal.aborted) return false;
      const name = this.#components[this.#started.length]?.name;
      this.#logger.warn('a component that is still starting is abandoned', { component: name });
      this.#leftStart.abort();
      return false;
    };
    const ended = (this.#starting ?? Promise.reject()).then(
      () => this.#started.length === this.#components.length,
      () => false,
    );
    try {
      return await Promise.race([ended, late()]);
    } finally {
      finished.abort();
    }
  }

  /** Waits for the stop, but not for ever: one hanging component must not keep the others from being stopped. */
  async #stopOne(component: Component, deadline: AbortSignal): Promise<void> {
    const finished = new AbortController();
    const abandoned = async (): Promise<never> => {
      await aborted(deadline, finished.signal);
      await sleep(this.#clock, ABANDON_MS, finished.signal);
      throw new Error(`${component.name} did not stop in time`);
    };
    try {
      await Promise.race([component.stop(deadline), abandoned()]);
    } finally {
      finished.abort();
    }
  }
}
