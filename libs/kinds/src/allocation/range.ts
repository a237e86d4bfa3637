/** A finite, numbered set of values. */
export interface ValueRange {
  /** How many values there are. */
  readonly size: number;
  /** The value at an index below `size`. */
  valueAt(index: number): string;
  /**
   * Number of first values that are allocated without a request for them only if all others are taken, so that they are
   * left for explicit requests.
   */
  readonly setAside: number;
  /** The form in options: `30000-32767`. */
  readonly text: string;
  /** The name of a value in refusals: `port`. */
  readonly noun: string;
  /** Whether a text is one of the values, in the form that `valueAt` gives. */
  contains(value: string): boolean;
  /** Returns the message for a requested value outside of the range. */
  outside(value: string): string;
}
