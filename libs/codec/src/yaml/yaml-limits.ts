/** Thrown for text that is not one YAML document with a JSON-shaped value, or that goes beyond the limits. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}

/** Limits of a text. */
export interface YamlLimits {
  /** Deepest nesting. Default 100. */
  readonly maxDepth?: number;
  /** Limit of values, scalars, objects and lists together, aliases expanded. Default: none. */
  readonly maxValues?: number;
  /** Nodes that aliases may expand to, all together. Default 10,000. */
  readonly maxAliasNodes?: number;
  /** Characters that aliases may expand to, all together. Default 1 Mi. */
  readonly maxAliasText?: number;
}

/** Limits for callers that set none. */
export const DEFAULT_LIMITS: Required<YamlLimits> = {
  maxDepth: 100,
  maxValues: Number.POSITIVE_INFINITY,
  maxAliasNodes: 10_000,
  maxAliasText: 1 << 20,
};
