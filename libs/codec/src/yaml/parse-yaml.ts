import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { JsonSyntaxError } from '../json/json-error.js';
import { type ParsedJson, parseJson } from '../json/parse-json.js';
import { TooManyValuesError } from '../too-many-values.js';
import { type Composed, compose } from './compose.js';
import { scalarValue, TAG } from './scalar-value.js';
import { DEFAULT_LIMITS, type YamlLimits, YamlSyntaxError } from './yaml-limits.js';

/** Result of parsing a document of YAML. */
export interface ParsedYaml {
  /** Its value as JSON; for a repeated key the last one. */
  readonly value: JsonValue;
  /** Keys that occurred more than once, one text each (the last value won), at most 100. */
  readonly repeated: readonly string[];
}

/**
 * Characters that YAML allows only as escapes: control characters but tab and line ends, lone surrogates, and
 * non-characters.
 */
const NO_TEXT = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Limit of the texts: more would not help. */
const MAX_REPEATED = 100;

/**
 * Parses the first YAML document of a text as a JSON value, as Go's readers understand it: exact integers, every
 * repeated key recorded, aliases expanded within limits, merge keys (`<<`) applied.
 * @throws YamlSyntaxError, TooManyValuesError
 */
export function parseYaml(input: Buffer | string, limits: YamlLimits = {}): ParsedYaml {
  const text = typeof input === 'string' ? input : input.toString('utf8');
  const all = { ...DEFAULT_LIMITS, ...limits };
  const json = parseIfJson(text, all);
  if (json && !json.duplicates) return { value: json.value, repeated: [] };
  if (NO_TEXT.test(text)) throw new YamlSyntaxError('yaml: control characters are not allowed');
  const composed = compose(text, all);
  const converter = new Converter(composed, all);
  const value = converter.value(composed.document.contents, 0);
  return { value, repeated: converter.repeated };
}

/** Most programs send JSON even where YAML is expected, and that is parsed much faster. @throws TooManyValuesError */
function parseIfJson(text: string, { maxDepth, maxValues }: Required<YamlLimits>): ParsedJson | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return parseJson(text, { maxDepth, maxValues });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

class Converter {
  readonly repeated: string[] = [];
  readonly #lines: LineCounter;
  readonly #limits: Required<YamlLimits>;
  /** Nodes of anchors at the converter's position: the last node before it that has the anchor. */
  readonly #anchors = new Map<string, Node>();
  /** Anchors whose nodes are being expanded. */
  readonly #expanding = new Set<string>();
  #values = 0;
  #aliasNodes = 0;
  #aliasText = 0;

  constructor({ lines }: Composed, limits: Required<YamlLimits>) {
    this.#lines = lines;
    this.#limits = limits;
  }

  value(node: unknown, depth: number): JsonValue {
    this.#count(node, depth);
    if (!isNode(node)) return null;
    if (isAlias(node)) return this.#alias(node, depth);
    if (node.anchor !== undefined && this.#expanding.size === 0) this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.value(item, depth + 1));
    if (isScalar(node)) return scalarValue(node);
    throw new YamlSyntaxError('yaml: unsupported node');
  }

  #count(node: unknown, depth: number): void {
    const { maxDepth, maxValues, maxAliasNodes, maxAliasText } = this.#limits;
    if (depth > maxDepth) throw new YamlSyntaxError('exceeded max depth');
    if (++this.#values > maxValues) throw new TooManyValuesError(maxValues);
    if (this.#expanding.size === 0) return;
    this.#aliasNodes++;
    if (isScalar(node)) this.#aliasText += String(node.value ?? '').length;
    if (this.#aliasNodes > maxAliasNodes || this.#aliasText > maxAliasText) {
      throw new YamlSyntaxError('yaml: document contains excessive aliasing');
    }
  }

  #alias({ source }: Alias, depth: number): JsonValue {
    const target = this.#anchors.get(source);
    if (!target) throw new YamlSyntaxError(`yaml: unknown anchor '${source}' referenced`);
    if (this.#expanding.has(source)) throw new YamlSyntaxError(`yaml: anchor '${source}' value contains itself`);
    this.#expanding.add(source);
    const value = this.value(target, depth + 1);
    this.#expanding.delete(source);
    return value;
  }

  #map(node: YAMLMap, depth: number): JsonObject {
    const object: JsonObject = {};
    for (const pair of node.items) {
      if (isMergeKey(pair)) this.#merge(object, pair, depth);
      else {
        const key = this.value(pair.key, depth + 1);
        if (typeof key === 'object') throw new YamlSyntaxError('yaml: unsupported map key');
        this.#member(object, key, this.value(pair.value, depth + 1), pair);
      }
    }
    return object;
  }

  #member(object: JsonObject, key: JsonValue, value: JsonValue, pair: Pair): void {
    const name = String(key);
    if (Object.hasOwn(object, name) && this.repeated.length < MAX_REPEATED) {
      const shown = typeof key === 'string' ? JSON.stringify(key) : name;
      this.repeated.push(`line ${this.#lineOf(pair)}: key ${shown} already set in map`);
    }
    setMember(object, name, value);
  }

  /** Line of a member's value, or of its key if it has none. */
  #lineOf({ key, value }: Pair): number {
    const node = isNode(value) && value.range && value.range[2] > value.range[0] ? value : key;
    return this.#lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : 0).line;
  }

  /** Merges the members of one map or of several, of which earlier ones win. */
  #merge(object: JsonObject, pair: Pair, depth: number): void {
    const merged = this.value(pair.value, depth + 1);
    for (const from of Array.isArray(merged) ? merged.reverse() : [merged]) {
      if (typeof from !== 'object' || from === null || Array.isArray(from)) {
        throw new YamlSyntaxError('yaml: map merge requires map or sequence of maps as the value');
      }
      for (const [name, member] of Object.entries(from)) {
        if (member !== undefined) this.#member(object, name, member, pair);
      }
    }
  }
}

const isMergeKey = ({ key }: Pair): boolean =>
  isScalar(key) && key.value === '<<' && (key.tag === undefined ? key.type === 'PLAIN' : key.tag === `${TAG}merge`);
