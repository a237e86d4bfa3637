/** Name of a type. */
export interface TypeName {
  /** Empty for the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
}
