import { parseYaml, stringifyJson } from '@orch/codec';

export interface YamlReadLimits {
  /** Maximum number of values, with aliases expanded. */
  readonly maxValues: number;
}

/** A YAML document converted to JSON. */
export interface ConvertedYaml {
  readonly json: string;
  /** Keys that occur more than once, one message each. */
  readonly repeated: readonly string[];
}

export interface YamlQuestion {
  readonly id: number;
  readonly text: string;
  readonly limits: YamlReadLimits;
}

/** Answer to one question: the conversion, or the reason for its failure. */
export type YamlAnswer =
  | { readonly id: number; readonly converted: ConvertedYaml }
  | { readonly id: number; readonly tooManyValues: number }
  | { readonly id: number; readonly message: string };

/** @throws YamlSyntaxError, TooManyValuesError */
export function convertYaml(text: string, limits: YamlReadLimits): ConvertedYaml {
  const { value, repeated } = parseYaml(text, limits);
  return { json: stringifyJson(value), repeated };
}
