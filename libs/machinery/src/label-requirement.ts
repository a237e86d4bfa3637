/** A condition on a label. `=`, `==` are `in` with one value, `!=` is `notin` with one value. */
export interface LabelRequirement {
  /** A qualified name: at most 63 characters with an optional `subdomain/` before them. */
  readonly key: string;
  /** `notin` and `!` are also met by objects without the label; the other four are not. */
  readonly operator: LabelOperator;
  /** Values, sorted, without duplicates. */
  readonly values: readonly string[];
}

/** `in` and `notin` compare with a set, `exists` and `!` only check the key, `gt` and `lt` compare integers. */
export type LabelOperator = 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';
