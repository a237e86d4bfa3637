import type { JsonObject, JsonValue } from '@orch/machinery';
import { isBeyond } from './nesting.js';
import { compareText, compareValues } from './order.js';

/** How a child is selected: a field, an item by keys, an item by its value, an item by its index. */
type ElementKind = 'f' | 'k' | 'v' | 'i';

/** A field that identifies an item within its list. */
export interface KeyField {
  /** JSON name of the field. */
  readonly name: string;
  /** The field's value, or its default. */
  readonly value: JsonValue;
}

/** Thrown for a text that is no path element: `fieldsV1` with it is refused. */
export class PathElementError extends Error {
  override readonly name = 'PathElementError';
}

const NO_KEYS: readonly KeyField[] = [];
const KIND_ORDER: Record<ElementKind, number> = { f: 0, k: 1, v: 2, i: 3 };

/** A step of a path: how a child is found in the value that holds it. Made by the functions below. */
export class PathElement {
  #json: string | undefined;
  #checksum: number | undefined;

  constructor(
    /** How the child is found. */
    readonly kind: ElementKind,
    /** The encoded element: `f:spec`, `k:{"name":"a"}`, `v:"x"`, `i:0`. Equal elements have equal texts. */
    readonly text: string,
    /** Name of the field; empty for the other kinds. */
    readonly name: string,
    /** Keys in the order of their names; empty for the other kinds. */
    readonly keys: readonly KeyField[],
    /** The item's value, or its index; null for the other kinds. */
    readonly value: JsonValue,
  ) {}

  /** Member name in `fieldsV1`: the quoted text and a colon. */
  get json(): string {
    this.#json ??= `${JSON.stringify(this.text)}:`;
    return this.#json;
  }

  /** FNV-1a of the text, 32 bits. */
  get checksum(): number {
    if (this.#checksum === undefined) {
      let sum = 0x811c9dc5;
      for (let i = 0; i < this.text.length; i++) sum = Math.imul(sum ^ this.text.charCodeAt(i), 0x01000193);
      this.#checksum = sum;
    }
    return this.#checksum;
  }

  /** Human-readable form in the path of a conflict: `.spec`, `[name="a"]`, `[="x"]`, `[0]`. */
  toString(): string {
    if (this.kind === 'f') return `.${this.name}`;
    if (this.kind === 'k') return `[${this.keys.map(({ name, value }) => `${name}=${readable(value)}`).join(',')}]`;
    return this.kind === 'v' ? `[=${readable(this.value)}]` : `[${String(this.value)}]`;
  }
}

/** More elements than a large object has, so that the steps of one write do not make them again. */
const KEPT = 60_000;
/** Limit of the characters of all kept texts. */
const MOST_CHARACTERS = 2 << 20;
/** Longer ones are data of a client's choice, and are not kept. */
const LONGEST_KEPT = 256;

/** Cache of elements by their names or texts, bounded in size. The same ones recur again and again. */
class KeptElements {
  readonly #elements = new Map<string, PathElement>();
  #characters = 0;

  get(key: string): PathElement | undefined {
    return this.#elements.get(key);
  }

  keep(key: string, element: PathElement): PathElement {
    if (key.length > LONGEST_KEPT) return element;
    this.#characters += key.length;
    if (this.#elements.size >= KEPT || this.#characters > MOST_CHARACTERS) {
      this.#elements.clear();
      this.#characters = key.length;
    }
    this.#elements.set(key, element);
    return element;
  }
}

const fields = new KeptElements();
/** Fields by their texts, and items by theirs. */
const elements = new KeptElements();

/** The element of a field, or of a key of a map. */
export function fieldElement(name: string): PathElement {
  return fields.get(name) ?? fields.keep(name, new PathElement('f', `f:${name}`, name, NO_KEYS, null));
}

/** The element of an item that is identified by keys; they may come in any order. */
export function keyElement(keys: readonly KeyField[]): PathElement {
  const sorted = keys.length < 2 ? keys : [...keys].sort((a, b) => compareText(a.name, b.name));
  let text = 'k:{';
  for (const { name, value } of sorted) {
    text += `${text.length > 3 ? ',' : ''}${JSON.stringify(name)}:${valueText(value)}`;
  }
  return new PathElement('k', `${text}}`, '', sorted, null);
}

/** The element of an item of a set. */
export const valueElement = (value: JsonValue): PathElement =>
  new PathElement('v', `v:${valueText(value)}`, '', NO_KEYS, value);

/** The element of an item that has only an index. */
export const indexElement = (index: number): PathElement => new PathElement('i', `i:${index}`, '', NO_KEYS, index);

/** Compares elements of one level of a path, in their written order. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  if (a.kind !== b.kind) return KIND_ORDER[a.kind] - KIND_ORDER[b.kind];
  if (a.kind === 'f') return compareText(a.name, b.name);
  if (a.text === b.text) return 0;
  if (a.kind !== 'k') return compareValues(a.value, b.value);
  const length = Math.min(a.keys.length, b.keys.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.keys[i] as KeyField, b.keys[i] as KeyField];
    const order = compareText(x.name, y.name) || compareValues(x.value, y.value);
    if (order !== 0) return order;
  }
  return a.keys.length - b.keys.length;
}

/**
 * Parses an element; undefined for a kind that is not known yet, which readers skip.
 * @throws PathElementError for what is no path element
 */
export function parsePathElement(text: string): PathElement | undefined {
  const known = elements.get(text);
  if (known) return known;
  const element = parseText(text);
  return element && elements.keep(text, element);
}

function parseText(text: string): PathElement | undefined {
  if (text.length < 2) throw new PathElementError('key must be 2 characters long');
  if (text[1] !== ':') throw new PathElementError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return fieldElement(content);
    case 'k':
      return parseKeys(content);
    case 'v':
      return valueElement(parseContent(content));
    case 'i':
      if (!/^[+-]?\d{1,15}$/.test(content)) throw new PathElementError(`invalid index: ${text}`);
      return indexElement(Number(content));
    default:
      return undefined;
  }
}

function parseKeys(content: string): PathElement {
  const keys = parseContent(content);
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) {
    throw new PathElementError(`keys are no object: ${content}`);
  }
  return keyElement(Object.entries(keys as JsonObject).map(([name, value]) => ({ name, value: value ?? null })));
}

/** Digits that a double may not hold; they are kept as text. */
const LONG_INTEGER = /^-?\d{16,}$/;

/** Keys and values of items are scalars, and few; nested ones, or a list of thousands, are a mistake. */
const BOUNDS = { depth: 20, values: 1_000 };

function parseContent(content: string): JsonValue {
  if (isBeyond(content, BOUNDS)) throw new PathElementError('values in path elements nest too deeply or are too many');
  if (LONG_INTEGER.test(content)) return exactInteger(content);
  try {
    return JSON.parse(LONG_INTEGERS.test(content) ? quoted(content) : content, revive) as JsonValue;
  } catch {
    throw new PathElementError(`invalid JSON in path element: ${content}`);
  }
}

const exactInteger = (digits: string): JsonValue =>
  Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);

const LONG_INTEGERS = /[:[,]\s*-?\d{16,}\s*[,\]}]/;
const MARK = '\u0000int:';

/** Turns long integers into texts that {@link revive} recognizes; nothing within quotes is touched. */
const quoted = (content: string): string =>
  content.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (part) =>
    part.startsWith('"') ? part : JSON.stringify(MARK + part),
  );

function revive(_name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('beyond what a number holds');
  return typeof value === 'string' && value.startsWith(MARK) ? exactInteger(value.slice(MARK.length)) : value;
}

const HTML = /[<>&\u2028\u2029]/g;
const SHORT_ESCAPE = /\\[bf\\"]/g;

/** Encodes values as the reference does: HTML characters are escaped, and control characters by number. */
function valueText(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return textOf(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
      return `{${Object.keys(value)
        .sort(compareText)
        .map((name) => `${textOf(name)}:${valueText(value[name] ?? null)}`)
        .join(',')}}`;
    default:
      return String(value);
  }
}

/** Texts that need no escapes: nearly all. */
const PLAIN = /^[\w ./:=@+-]*$/;

function textOf(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value)
    .replace(HTML, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(SHORT_ESCAPE, (pair) => (pair === '\\b' ? '\\u0008' : pair === '\\f' ? '\\u000c' : pair));
}

/** Formats a value as the reference does for people. */
function readable(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(readable).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, member]) => `${name}=${readable(member ?? null)}`)
      .join('');
  }
  return String(value);
}
