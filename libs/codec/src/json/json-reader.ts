import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import { JsonSyntaxError } from './json-error.js';
import { spaceEnd, stringEnd } from './scan.js';

/** Names that occur more than once in an object, by object. */
export type Duplicates = Map<JsonObject, Set<string>>;

const BACKSLASH = 0x5c;
/** Characters that may follow a backslash, beside `u` and four digits. */
const ESCAPED: ReadonlySet<string> = new Set(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']);
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const HEX4 = /^[0-9a-fA-F]{4}$/;
const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** Characters of a number that an error quotes, as it may be as long as the document. */
const SHOWN = 64;

const shown = (number: string): string => (number.length > SHOWN ? `${number.slice(0, SHOWN)}…` : number);

/**
 * How much deeper `metadata.managedFields` nest than the object whose fields they name: the metadata, the list, the
 * entry, the set, and an empty object for each scalar. A client may send back whatever it was given.
 */
export const OWNERS_DEPTH = 5;

/**
 * The careful reader: every integer exact, repeated names recorded, errors in the wording that clients know. Lone
 * surrogates become U+FFFD.
 */
export class JsonReader {
  readonly duplicates: Duplicates = new Map();
  #at = 0;
  #depth = 0;
  #maxDepth: number;
  /** Whether the current member of the outermost object is its metadata. */
  #isMetadata = false;

  /** @param maxDepth deepest nesting; `metadata.managedFields` may be {@link OWNERS_DEPTH} deeper */
  constructor(
    private readonly text: string,
    maxDepth: number,
  ) {
    this.#maxDepth = maxDepth;
  }

  /** @throws JsonSyntaxError */
  document(): JsonValue {
    const value = this.#value();
    this.#space();
    if (this.#at < this.text.length) throw this.#unexpected('after top-level value');
    return value;
  }

  #value(): JsonValue {
    this.#space();
    const character = this.text[this.#at];
    switch (character) {
      case '{':
        return this.#left(this.#entered().#object());
      case '[':
        return this.#left(this.#entered().#array());
      case '"':
        return this.#string();
      case 't':
      case 'f':
      case 'n':
        return this.#literal();
      default:
        return this.#number();
    }
  }

  /** Enters brackets. No unnecessary function is called between two levels, as each takes its part of the stack. */
  #entered(): this {
    if (++this.#depth > this.#maxDepth) throw new JsonSyntaxError('exceeded max depth', this.#at);
    this.#at++;
    return this;
  }

  #left<T>(value: T): T {
    this.#depth--;
    return value;
  }

  #object(): JsonObject {
    const object: JsonObject = {};
    this.#space();
    if (this.#take('}')) return object;
    for (;;) {
      this.#space();
      if (this.text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string');
      const name = this.#string();
      this.#space();
      if (!this.#take(':')) throw this.#unexpected('after object key');
      this.#member(object, name, this.#valueOf(name));
      this.#space();
      if (this.#take('}')) return object;
      if (!this.#take(',')) throw this.#unexpected('after object key:value pair');
    }
  }

  #valueOf(name: string): JsonValue {
    if (this.#depth === 1) this.#isMetadata = name === 'metadata';
    if (this.#depth !== 2 || !this.#isMetadata || name !== 'managedFields') return this.#value();
    this.#maxDepth += OWNERS_DEPTH;
    const owners = this.#value();
    this.#maxDepth -= OWNERS_DEPTH;
    return owners;
  }

  #member(object: JsonObject, name: string, value: JsonValue): void {
    if (Object.hasOwn(object, name)) {
      const names = this.duplicates.get(object);
      if (names) names.add(name);
      else this.duplicates.set(object, new Set([name]));
    }
    setMember(object, name, value);
  }

  #array(): JsonValue[] {
    const array: JsonValue[] = [];
    this.#space();
    if (this.#take(']')) return array;
    for (;;) {
      array.push(this.#value());
      this.#space();
      if (this.#take(']')) return array;
      if (!this.#take(',')) throw this.#unexpected('after array element');
    }
  }

  #string(): string {
    const end = stringEnd(this.text, this.#at);
    const whole = nativeString(this.text.slice(this.#at, end + 1));
    if (whole === undefined) throw this.#wrongString();
    this.#at = end + 1;
    return wellFormed(whole);
  }

  /**
   * Finds the error, and its position, in a string that the native parser refuses; it may be the whole of a long text.
   */
  #wrongString(): JsonSyntaxError {
    const { text } = this;
    let at = this.#at + 1;
    for (;;) {
      while (isPlain(text.charCodeAt(at))) at++;
      this.#at = at;
      if (text.charCodeAt(at) !== BACKSLASH) return this.#unexpected('in string literal');
      const letter = text.charAt(at + 1);
      if (letter === 'u' && HEX4.test(text.slice(at + 2, at + 6))) at += 6;
      else if (ESCAPED.has(letter)) at += 2;
      else return this.#wrongEscape(letter);
    }
  }

  #wrongEscape(letter: string): JsonSyntaxError {
    this.#at += letter === 'u' ? 2 : 1;
    return this.#unexpected(letter === 'u' ? 'in \\u hexadecimal character escape' : 'in string escape code');
  }

  #literal(): JsonValue {
    for (const [word, value] of LITERALS) {
      if (!this.text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    throw this.#unexpected('in literal');
  }

  #number(): number | bigint {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.text);
    if (!match) throw this.#unexpected('looking for beginning of value');
    this.#at = NUMBER.lastIndex;
    const value = Number(match[0]);
    if (!Number.isFinite(value)) throw new JsonSyntaxError(`number ${shown(match[0])} is out of range`, this.#at);
    const integer = match[1] === undefined && match[2] === undefined;
    return integer && !Number.isSafeInteger(value) ? BigInt(match[0]) : value;
  }

  #take(character: string): boolean {
    if (this.text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    this.#at = spaceEnd(this.text, this.#at);
  }

  #unexpected(where: string): JsonSyntaxError {
    const code = this.text.codePointAt(this.#at);
    if (code === undefined) return new JsonSyntaxError('unexpected end of JSON input', this.#at);
    const character = String.fromCodePoint(code);
    const shown =
      character === "'" ? "'\\''" : character < ' ' ? `'${JSON.stringify(character).slice(1, -1)}'` : `'${character}'`;
    return new JsonSyntaxError(`invalid character ${shown} ${where}`, this.#at);
  }
}

/** Parses a string with its quotes by the native parser; undefined if that fails. */
function nativeString(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

/** Whether a character needs no escape in a string; false at the end of the text. */
const isPlain = (code: number): boolean => code >= 0x20 && code !== 0x22 && code !== 0x5c;

const SURROGATE = /[\ud800-\udfff]/;

/** Replaces lone surrogates, which cannot be encoded as UTF-8. */
function wellFormed(text: string): string {
  return SURROGATE.test(text) ? Buffer.from(text).toString() : text;
}
