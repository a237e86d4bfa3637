/** Range of the waits of a {@link Backoff}. */
export interface BackoffSettings {
  /** The first wait, milliseconds. */
  readonly firstMs: number;
  /** The longest wait, milliseconds. */
  readonly longestMs: number;
  /**
   * Draws numbers in [0, 1), for jitter: each wait lies in the upper half of its span, so that many who wait do not
   * come back together. Default: no jitter.
   */
  readonly random?: () => number;
}

/** Waits that double up to a limit. */
export class Backoff {
  #span: number;

  constructor(private readonly settings: BackoffSettings) {
    this.#span = settings.firstMs;
  }

  /** Returns the next wait, milliseconds. */
  next(): number {
    const { longestMs, random } = this.settings;
    const span = this.#span;
    this.#span = Math.min(2 * span, longestMs);
    return random ? span * (0.5 + random() / 2) : span;
  }

  /** Makes the next wait a first one again, after a success. */
  reset(): void {
    this.#span = this.settings.firstMs;
  }
}
