/** Names by which a custom kind is served. */
export interface AcceptedNames {
  /** Its name in paths; empty where none is accepted. */
  readonly plural: string;
  /** The kind in lower case; empty where none is accepted. */
  readonly singular: string;
  /** Names that users may type instead. */
  readonly shortNames: readonly string[];
  /** Kind of the objects; empty where none is accepted. */
  readonly kind: string;
  /** Kind of a list of them; empty where none is accepted. */
  readonly listKind: string;
  /** Groupings that users may ask for, such as `all`. */
  readonly categories: readonly string[];
}
