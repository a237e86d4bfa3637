import { Backoff } from '@orch/runtime/work';

/** Limits of the attempts to start a server. */
interface RestartLimits {
  /** Milliseconds without a server after which it is given up. */
  readonly timeout: number;
  /** Milliseconds of the first pause, which doubles. */
  readonly firstPause: number;
}

const LONGEST_PAUSE = 3000;
/** After space is freed on a full disk the server should be back soon. */
const LONGEST_PAUSE_WITHOUT_SPACE = 1000;

/** Decides how long to wait before the next attempt to start a server, and when to give up. */
export class RestartBudget {
  #left: number;
  readonly #backoff: Backoff;
  #countedAt: number;

  constructor(
    private readonly limits: RestartLimits,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#left = limits.timeout;
    this.#backoff = new Backoff({ firstMs: limits.firstPause, longestMs: LONGEST_PAUSE });
    this.#countedAt = now();
  }

  /** Forgets earlier failures, once the server has run long enough. */
  reset(): void {
    this.#left = this.limits.timeout;
    this.#backoff.reset();
  }

  /** The server has ended: the time is counted from here on. */
  begin(): void {
    this.#countedAt = this.now();
  }

  /**
   * The next pause in milliseconds; undefined when the time is over.
   * @param outOfSpace the disk has been full since the last call, which does not count
   */
  next(outOfSpace: boolean): number | undefined {
    const now = this.now();
    if (!outOfSpace) this.#left -= now - this.#countedAt;
    this.#countedAt = now;
    if (this.#left <= 0) return undefined;
    return Math.min(this.#backoff.next(), outOfSpace ? LONGEST_PAUSE_WITHOUT_SPACE : LONGEST_PAUSE);
  }
}
