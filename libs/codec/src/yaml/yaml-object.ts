import type { StructSchema } from '@orch/schema';
import { type ReadObject, readObject } from '../read/read-object.js';
import { parseYaml } from './parse-yaml.js';
import type { YamlLimits } from './yaml-limits.js';

/** Decodes YAML to an object of a declared type. @throws YamlSyntaxError and errors of {@link readObject} */
export function decodeYamlObject(schema: StructSchema, bytes: Buffer | string, limits?: YamlLimits): ReadObject {
  const { value, repeated } = parseYaml(bytes, limits);
  const { object, problems } = readObject(schema, value);
  return { object, problems: [...yamlProblems(repeated), ...problems] };
}

const HEADING = 'yaml: unmarshal errors:\n';

/** Message for repeated keys: all in one text, as clients know it. */
export const yamlProblems = (repeated: readonly string[]): string[] =>
  repeated.length === 0 ? [] : [`${HEADING}${repeated.map((text) => `  ${text}`).join('\n')}`];

/** Splits a problem into warnings: one text for each repeated key. */
export const warningsOf = (problem: string): string[] =>
  problem.startsWith(HEADING)
    ? problem
        .slice(HEADING.length)
        .split('\n')
        .map((line) => line.trim())
    : [problem];
