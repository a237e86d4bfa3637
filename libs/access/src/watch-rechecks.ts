import type { StatusError } from '@orch/machinery';
import type { Clock, Logger } from '@orch/runtime';
import type { OpenWatches, WatchJudge } from '@orch/serving';

interface WatchRechecksSettings {
  readonly watches: Pick<OpenWatches, 'size' | 'judgeNext'>;
  /** Refuses watches whose rights are gone; rejects where that cannot be decided. */
  readonly judge: WatchJudge;
  /** Interval within which each watch is checked once, ms; 0 for never. */
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Logs failures of the judge. */
  readonly logger: Logger;
}

/** Steps of an interval, over which the watches are spread. */
const STEPS = 60;
/** Watches that are checked at a time, each of which may be a call of a webhook. */
const MOST_JUDGED = 100;
/** Least time between two log entries about failures, ms. */
const SAY_EVERY_MS = 60_000;

/**
 * Checks open watches periodically, as a webhook may change its verdicts without a notification (mode `Webhook`): one
 * after another, all of them within an interval. Watches whose rights are gone end; those that cannot be decided go on.
 */
export class WatchRechecks {
  #due = 0;
  #judged = 0;
  #saidAt = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => undefined;

  constructor(private readonly settings: WatchRechecksSettings) {
    if (settings.intervalMs > 0) this.#schedule();
  }

  /** Starts no further checks. */
  stop(): void {
    this.#cancel();
  }

  #schedule(): void {
    const { clock, intervalMs } = this.settings;
    this.#cancel = clock.after(intervalMs / STEPS, () => {
      this.#step();
      this.#schedule();
    });
  }

  /** Starts the checks of one step. Watches that slow answers have delayed are checked later, and not all at once. */
  #step(): void {
    const { watches } = this.settings;
    this.#due = Math.min(this.#due + watches.size / STEPS, watches.size);
    const count = Math.min(Math.floor(this.#due), MOST_JUDGED - this.#judged);
    if (count < 1) return;
    this.#due -= count;
    this.#judged += count;
    void watches
      .judgeNext(count, (watch) => this.#judge(watch))
      .finally(() => {
        this.#judged -= count;
      });
  }

  async #judge(watch: Parameters<WatchJudge>[0]): Promise<StatusError | undefined> {
    try {
      return await this.settings.judge(watch);
    } catch (error) {
      this.#say(error);
      return undefined;
    }
  }

  #say(error: unknown): void {
    const { clock, logger } = this.settings;
    if (clock.now() - this.#saidAt < SAY_EVERY_MS) return;
    this.#saidAt = clock.now();
    logger.error('open watches could not be authorized again', error);
  }
}
