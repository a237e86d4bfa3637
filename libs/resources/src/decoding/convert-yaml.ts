import { parseYaml, stringifyJson } from '@orch/codec';

export interface YamlReadLimits {
  /** Most values, aliases expanded. */
  readonly maxValues: number;
}

/** A document of YAML as JSON. */
export interface ConvertedYaml {
  readonly json: string;
  /** Keys that stood more than once, one text each. */
  readonly repeated: readonly string[];
}

export interface YamlQuestion {
  readonly id: number;
  readonly text: string;
  readonly limits: YamlReadLimits;
}

/** The answer to one question: what was asked for, or why there is none. */
export type YamlAnswer =
  | { readonly id: number; readonly converted: ConvertedYaml }
  | { readonly id: number; readonly tooManyValues: number }
  | { readonly id: number; readonly message: string };

/** @throws YamlSyntaxError, TooManyValuesError */
export function convertYaml(text: string, limits: YamlReadLimits): ConvertedYaml {
  const { value, repeated } = parseYaml(text, limits);
  return { json: stringifyJson(value), repeated };
}
