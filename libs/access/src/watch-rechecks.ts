import type { StatusError } from '@orch/machinery';
import type { Clock, Logger } from '@orch/runtime';
import type { OpenWatches, WatchJudge } from '@orch/serving';

interface WatchRechecksSettings {
  readonly watches: Pick<OpenWatches, 'size' | 'judgeNext'>;
  /** What refuses watches whose rights are gone; rejects where nobody can tell. */
  readonly judge: WatchJudge;
  /** Within which each watch is judged once, ms; 0 for never. */
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Hears of what cannot be asked. */
  readonly logger: Logger;
}

/** Steps of an interval, over which the watches are spread. */
const STEPS = 60;
/** Watches that are being judged at a time, each of which may be a question to somebody outside. */
const MOST_JUDGED = 100;
/** How often it is said that nobody can tell, at most, ms. */
const SAY_EVERY_MS = 60_000;

/**
 * Judges open watches again and again, as somebody outside may have changed its mind about them without a word (mode `Webhook`): one
 * after another, all of them within an interval, and those whose rights are gone end. As long as nobody can tell they go on.
 */
export class WatchRechecks {
  #due = 0;
  #judged = 0;
  #saidAt = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => undefined;

  constructor(private readonly settings: WatchRechecksSettings) {
    if (settings.intervalMs > 0) this.#schedule();
  }

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

  /** Who is left behind because answers are slow is judged later, and not all at once. */
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
    logger.error('rights to open watches cannot be asked about', error);
  }
}
