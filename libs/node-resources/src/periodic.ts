import type { Clock, Logger } from '@orch/runtime';

/** Settings of {@link Periodic}. */
interface PeriodicSettings {
  /** Name of the work, for the log. */
  readonly name: string;
  /** Wait between the end of one round and the next, ms. */
  readonly everyMs: number;
  /** Work of a round. */
  readonly work: () => Promise<unknown>;
  /** Clock of the waits. */
  readonly clock: Clock;
  /** Logs rounds that fail. */
  readonly logger: Logger;
}

/** Does something again and again, one round after another. A round that fails is logged. */
export class Periodic {
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly settings: PeriodicSettings) {}

  /** Begins with a round at once. */
  start(): void {
    if (this.#stopped) return;
    const { everyMs, clock } = this.settings;
    this.#running = this.#round().finally(() => {
      if (!this.#stopped) this.#cancel = clock.after(everyMs, () => this.start());
    });
  }

  /** Ends the rounds. Resolves when none is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#running;
  }

  async #round(): Promise<void> {
    const { name, work, logger } = this.settings;
    try {
      await work();
    } catch (error) {
      logger.warn(`${name} failed`, { err: String(error) });
    }
  }
}
