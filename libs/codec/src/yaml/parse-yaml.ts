import type { JsonObject, JsonValue } from '@orch/machinery';
import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml';
import { JsonSyntaxError } from '../json/json-error.js';
import type { Duplicates } from '../json/json-reader.js';
import { type ParsedJson, parseJson } from '../json/parse-json.js';
import { plainScalar } from './plain-scalar.js';

/** Thrown for text that is not one YAML document with a JSON-shaped value, or that goes beyond the limits. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}

/** What a text may ask of the reader; going beyond is a {@link YamlSyntaxError}. */
export interface YamlLimits {
  /** Deepest nesting. Default 100. */
  readonly maxDepth?: number;
  /** Nodes that aliases may expand to, all together. Default 10,000. */
  readonly maxAliasNodes?: number;
  /** Longest input that is not JSON as well, bytes: reading YAML costs microseconds a token. Default 512 KiB. */
  readonly maxBytes?: number;
}

const MAX_DEPTH = 100;
const MAX_ALIAS_NODES = 10_000;
const MAX_BYTES = 512 * 1024;

const TAG = 'tag:yaml.org,2002:';
/** Explicit tags of values that JSON has a form for. */
const RESOLVED_TAGS: ReadonlySet<string> = new Set(['int', 'float', 'bool', 'null'].map((name) => TAG + name));
const TEXT_TAGS: ReadonlySet<string> = new Set(['!', `${TAG}str`, `${TAG}timestamp`]);

/**
 * One YAML document as a JSON value: exact integers, every repeated key noted (the last value wins), aliases expanded
 * within a limit, merge keys taken as ordinary ones.
 * @throws YamlSyntaxError
 */
export function parseYaml(input: Buffer | string, limits: YamlLimits = {}): ParsedJson {
  const text = typeof input === 'string' ? input : input.toString('utf8');
  const json = parseIfJson(text, limits.maxDepth ?? MAX_DEPTH);
  if (json) return json;
  const { maxBytes = MAX_BYTES } = limits;
  if (input.length > maxBytes) throw new YamlSyntaxError(`yaml: document is longer than ${maxBytes} bytes`);
  const document = compose(text);
  const converter = new Converter(document, limits);
  const value = converter.value(document.contents, 0);
  return converter.duplicates.size === 0 ? { value } : { value, duplicates: converter.duplicates };
}

/** Most programs send JSON where YAML is asked for, and that is read much faster. */
function parseIfJson(text: string, maxDepth: number): ParsedJson | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return parseJson(text, { maxDepth });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function compose(text: string): Document.Parsed {
  let document: Document.Parsed;
  try {
    document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false, merge: false, logLevel: 'error' });
  } catch (error) {
    // The composer recurses; a stack that runs out is the input's fault.
    if (error instanceof RangeError) throw new YamlSyntaxError('exceeded max depth');
    throw error;
  }
  const [error] = document.errors;
  if (!error) return document;
  const line = error.linePos?.[0].line;
  const detail = error.message.split(/ at line |\n/)[0]?.replace(/:$/, '');
  throw new YamlSyntaxError(`yaml: ${line === undefined ? '' : `line ${line}: `}${detail}`);
}

class Converter {
  readonly duplicates: Duplicates = new Map();
  readonly #maxDepth: number;
  #aliasBudget: number;
  #insideAlias = 0;

  constructor(
    private readonly document: Document.Parsed,
    { maxDepth = MAX_DEPTH, maxAliasNodes = MAX_ALIAS_NODES }: YamlLimits,
  ) {
    this.#maxDepth = maxDepth;
    this.#aliasBudget = maxAliasNodes;
  }

  value(node: unknown, depth: number): JsonValue {
    if (depth > this.#maxDepth) throw new YamlSyntaxError('exceeded max depth');
    if (this.#insideAlias > 0 && --this.#aliasBudget < 0)
      throw new YamlSyntaxError('document contains excessive aliasing');
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return this.#alias(node, depth);
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.value(item, depth + 1));
    if (isScalar(node)) return scalar(String(node.value ?? ''), node.type === 'PLAIN', node.tag);
    throw new YamlSyntaxError('yaml: unsupported node');
  }

  #alias(node: Alias, depth: number): JsonValue {
    const target = node.resolve(this.document);
    if (!target) throw new YamlSyntaxError(`yaml: unknown anchor '${node.source}' referenced`);
    this.#insideAlias++;
    const value = this.value(target, depth + 1);
    this.#insideAlias--;
    return value;
  }

  #map(node: YAMLMap, depth: number): JsonObject {
    const object: JsonObject = {};
    for (const pair of node.items) {
      const key = this.value(pair.key, depth + 1);
      if (typeof key === 'object') throw new YamlSyntaxError('yaml: unsupported map key');
      const name = String(key);
      const value = this.value(pair.value, depth + 1);
      // No later copy can set a prototype with a name that is not there.
      if (name === '__proto__') continue;
      if (Object.hasOwn(object, name)) {
        const names = this.duplicates.get(object);
        if (names) names.add(name);
        else this.duplicates.set(object, new Set([name]));
      }
      object[name] = value;
    }
    return object;
  }
}

function scalar(text: string, plain: boolean, tag: string | undefined): JsonValue {
  if (tag === undefined) return plain ? finite(plainScalar(text), text) : text;
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
