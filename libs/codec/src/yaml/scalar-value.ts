import type { JsonValue } from '@orch/machinery';
import type { Scalar } from 'yaml';
import { plainScalar } from './plain-scalar.js';
import { YamlSyntaxError } from './yaml-limits.js';

const TAG = 'tag:yaml.org,2002:';
/** Explicit tags of values that JSON has a form for. */
const RESOLVED_TAGS: ReadonlySet<string> = new Set(['int', 'float', 'bool', 'null'].map((name) => TAG + name));
const TEXT_TAGS: ReadonlySet<string> = new Set(['!', `${TAG}str`, `${TAG}timestamp`]);

/** A scalar as JSON. @throws YamlSyntaxError for what JSON has no form for */
export function scalarValue({ value, type, tag }: Scalar): JsonValue {
  const text = String(value ?? '');
  if (tag === undefined) return type === 'PLAIN' ? finite(plainScalar(text), text) : text;
  if (TEXT_TAGS.has(tag)) return text;
  if (RESOLVED_TAGS.has(tag)) return finite(plainScalar(text), text);
  if (tag === `${TAG}binary`) return Buffer.from(text, 'base64').toString('utf8');
  throw new YamlSyntaxError(`yaml: unsupported tag ${tag}`);
}

/** JSON has no form for infinities and NaN. */
function finite(value: JsonValue, text: string): JsonValue {
  if (typeof value === 'string' && /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(text)) {
    throw new YamlSyntaxError(`yaml: unsupported value: ${text}`);
  }
  return value;
}
