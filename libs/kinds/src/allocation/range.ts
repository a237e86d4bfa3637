/** A finite, numbered set of values. */
export interface Range {
  /** How many values there are. */
  readonly size: number;
  /** The value at an index below `size`. */
  valueAt(index: number): string;
  /** So many of the first are given where none is wanted only when all others are taken, so that they can be asked for. */
  readonly setAside: number;
  /** The form in options: `30000-32767`. */
  readonly text: string;
  /** The name of a value in refusals: `port`. */
  readonly noun: string;
  /** Whether a text is one of the values, in the form that `valueAt` gives. */
  contains(value: string): boolean;
  /** Why a value cannot be had that the range does not contain. */
  outside(value: string): string;
}
