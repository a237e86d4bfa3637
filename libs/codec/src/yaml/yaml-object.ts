import type { StructSchema } from '@orch/schema';
import { Document, Scalar, visit } from 'yaml';
import { type ReadObject, readObject } from '../read/read-object.js';
import { parseYaml, type YamlLimits } from './parse-yaml.js';
import { plainScalar } from './plain-scalar.js';

/** Bytes of YAML as an object of a declared type. @throws YamlSyntaxError and what {@link readObject} throws */
export function decodeYamlObject(schema: StructSchema, bytes: Buffer | string, limits?: YamlLimits): ReadObject {
  const { value, duplicates } = parseYaml(bytes, limits);
  return readObject(schema, value, duplicates && { duplicates });
}

/** YAML of a JSON-shaped value, keys sorted. Texts that YAML 1.1 or 1.2 would read as something else are quoted. */
export function stringifyYaml(value: unknown): string {
  const document = new Document(value, { version: '1.1', aliasDuplicateObjects: false, sortMapEntries: true });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && plainScalar(node.value) !== node.value) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}
