import type { JsonValue } from '@orch/machinery';
import type { Scalar } from 'yaml';
import { plainScalar } from './plain-scalar.js';
import { YamlSyntaxError } from './yaml-limits.js';

/** Prefix of the names of YAML's own tags. */
export const TAG = 'tag:yaml.org,2002:';
/** Tags whose values are resolved like unquoted ones, and must match the tag. */
const RESOLVED: ReadonlySet<string> = new Set(['null', 'bool', 'int', 'float', 'timestamp']);
/** The dates and times that Go reads. */
const TIMESTAMP =
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/;

/**
 * Returns a scalar as JSON; with a tag that the API does not know, its text. @throws YamlSyntaxError if JSON has no
 * form for it
 */
export function scalarValue({ value, type, tag }: Scalar): JsonValue {
  const text = String(value ?? '');
  if (tag === undefined) return type === 'PLAIN' ? finite(plainScalar(text).value, text) : text;
  const name = tag.startsWith(TAG) ? tag.slice(TAG.length) : '';
  if (name === 'binary') return decoded(text);
  return RESOLVED.has(name) ? tagged(name, text) : text;
}

/** Returns the value of a text that must match its tag. A signed 64-bit integer is a `float`, too; times stay text. */
function tagged(name: string, text: string): JsonValue {
  if (name === 'timestamp' && TIMESTAMP.test(text)) return text;
  const { tag, value } = plainScalar(text);
  if (tag === name || (name === 'float' && tag === 'int' && value < 2n ** 63n)) return finite(value, text);
  throw new YamlSyntaxError(`yaml: cannot decode !!${tag} \`${text}\` as a !!${name}`);
}

function decoded(text: string): string {
  const data = text.replaceAll(/[\r\n]/g, '');
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
    throw new YamlSyntaxError('yaml: !!binary value contains invalid base64 data');
  }
  return Buffer.from(data, 'base64').toString('utf8');
}

/** JSON has no form for infinities and NaN. */
function finite(value: JsonValue, text: string): JsonValue {
  if (typeof value === 'string' && /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(text)) {
    throw new YamlSyntaxError(`yaml: unsupported value: ${text}`);
  }
  return value;
}
