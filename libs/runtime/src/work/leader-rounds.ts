import { type Clock, systemClock } from '../clock.js';
import { type Leadership, RENEWAL_MS } from './leadership.js';
import { WorkOnDemand } from './work-on-demand.js';

interface LeaderRoundsOptions {
  readonly leadership: Pick<Leadership, 'renew' | 'giveBack'>;
  /**
   * One round, in the process that leads.
   * @param isNew whether it has come to lead since the last round that succeeded
   * @returns milliseconds after which the next one begins though nobody asks; nothing for when the lease is due
   */
  round(isNew: boolean): Promise<number | undefined>;
  /** Instead of a round where another process leads. */
  readonly idle?: () => void;
  /** Hears of a round that failed; it is tried again. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Milliseconds between two rounds at least. */
const REST_MS = 10;

/** Work that one process of all does, in rounds: when it is asked to, and as often as it takes to keep the lease. */
export class LeaderRounds {
  readonly #clock: Clock;
  readonly #work: WorkOnDemand;
  #cancelNext: (() => void) | undefined;
  /** Whether no round of this term has succeeded. */
  #isFirst = false;
  #stopped = false;

  constructor(private readonly options: LeaderRoundsOptions) {
    const { onError, clock = systemClock } = options;
    this.#clock = clock;
    this.#work = new WorkOnDemand(() => this.#round(), { onError, restMs: REST_MS, clock });
  }

  /** Whether no more rounds begin; what is under way may be left out. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Has a round begin, together with all others who ask. */
  ask(): void {
    this.#work.ask();
  }

  /** Ends after what is under way, and lets another process go on. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelNext?.();
    await this.#work.stop();
    await this.options.leadership.giveBack();
  }

  async #round(): Promise<void> {
    const { leadership, round, idle } = this.options;
    const { leads, isNew } = await leadership.renew();
    if (!leads) idle?.();
    this.#isFirst ||= isNew;
    const pause = leads ? await round(this.#isFirst) : undefined;
    if (leads) this.#isFirst = false;
    this.#cancelNext?.();
    if (this.#stopped) return;
    this.#cancelNext = this.#clock.after(Math.min(pause ?? RENEWAL_MS, RENEWAL_MS), () => this.#work.ask());
  }
}
