import type { StructSchema } from '@orch/schema';
import { stringify } from 'yaml';
import { type ReadObject, readObject } from '../read/read-object.js';
import { parseYaml, type YamlLimits } from './parse-yaml.js';

/** Bytes of YAML as an object of a declared type. @throws YamlSyntaxError and what {@link readObject} throws */
export function decodeYamlObject(schema: StructSchema, bytes: Buffer | string, limits?: YamlLimits): ReadObject {
  const { value, duplicates } = parseYaml(bytes, limits);
  return readObject(schema, value, duplicates && { duplicates });
}

/** YAML of a JSON-shaped value, keys sorted. Texts that YAML 1.1 or 1.2 would read as something else are quoted. */
export function stringifyYaml(value: unknown): string {
  return stringify(value, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0, sortMapEntries: true });
}
