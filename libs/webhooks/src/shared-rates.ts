/** A rate limit in the form of a token bucket. */
export interface Rate {
  /** Long-term rate, per second. */
  readonly perSecond: number;
  /** Most events at once, after a pause that was long enough. */
  readonly burst: number;
}

/** Rate limits that the processes of an installation share. */
export interface SharedRates {
  /**
   * Takes one token of a rate limit for what the parts identify together. Never fails.
   * @returns whether there was one left; undefined if that cannot be determined now
   */
  take(parts: readonly string[], rate: Rate): Promise<boolean | undefined>;
}
