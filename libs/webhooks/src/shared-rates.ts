/** How much may happen. */
export interface Rate {
  /** In the long run. */
  readonly perSecond: number;
  /** At once, behind a pause that was long enough. */
  readonly burst: number;
}

/** Where processes of an installation keep to a rate together. */
export interface SharedRates {
  /**
   * Takes one of what a rate allows to what the parts say together. Never fails.
   * @returns whether there was one left; undefined where that cannot be told now
   */
  take(parts: readonly string[], rate: Rate): Promise<boolean | undefined>;
}
