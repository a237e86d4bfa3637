import { type FullNode, type FullStruct, fullStruct, type NamedField } from './full-form.js';
import type { StructSchema } from './model.js';

/** Gaps of a text against the form that release 1.27 writes: positions in it, ascending, and the text to insert. */
export interface Gaps {
  /** Offsets in bytes. */
  readonly places: readonly number[];
  /** Text to insert at each position; ASCII. */
  readonly texts: readonly string[];
  /** Bytes of all texts. */
  readonly length: number;
}

/** Gaps of a complete text. */
export const NO_GAPS: Gaps = { places: [], texts: [], length: 0 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const SPACE = 0x20;

/**
 * Finds in the JSON text of an object, in one pass and without decoding its values, where members are missing that are
 * always written. It skips metadata, which is always complete, and values that are complete by their type.
 * @returns {@link NO_GAPS} for a complete text, and for what is no JSON
 */
export function gapsIn(schema: StructSchema, text: Buffer): Gaps {
  const struct = fullStruct(schema);
  if (lacksNothing(struct)) return NO_GAPS;
  const finder = new GapFinder(text);
  finder.root(struct);
  return finder.gaps();
}

const METADATA = Buffer.from('metadata');

/** Whether objects are complete as soon as they have metadata, such as maps of data. */
const lacksNothing = ({ always, below }: FullStruct): boolean =>
  always.every(({ name }) => name === 'metadata') && [...below.keys()].every((name) => name === 'metadata');

/** Bytes of a string that are compared one by one: most are shorter, and a search has a fixed cost. */
const FEW_BYTES = 32;

class GapFinder {
  readonly #places: number[] = [];
  readonly #texts: string[] = [];
  #length = 0;

  constructor(private readonly text: Buffer) {}

  gaps(): Gaps {
    if (this.#places.length === 0) return NO_GAPS;
    return { places: this.#places, texts: this.#texts, length: this.#length };
  }

  root(struct: FullStruct): void {
    const at = this.#space(0);
    if (this.text[at] === OPEN_OBJECT) this.#struct(at, struct, true);
  }

  /**
   * Reads the members of a struct whose brace is at `at`. @returns the offset behind it; the end of the text for what
   * is no JSON
   */
  #struct(at: number, { always, named }: FullStruct, isRoot: boolean): number {
    const { text } = this;
    const found: boolean[] = [];
    let next = this.#space(at + 1);
    const isEmpty = text[next] === CLOSE_OBJECT;
    while (text[next] === QUOTE) {
      const end = this.#stringEnd(next);
      const field = this.#fieldAt(next + 1, named[end - next - 2]);
      if (field?.place !== undefined) found[field.place] = true;
      // Behind the colon.
      const value = this.#space(this.#space(end) + 1);
      const isPassedOver = !field?.below || (isRoot && field.name.equals(METADATA));
      next = this.#space(isPassedOver ? this.#skip(value) : this.#value(value, field.below));
      if (text[next] === COMMA) next = this.#space(next + 1);
    }
    if (text[next] !== CLOSE_OBJECT) return text.length;
    this.#lacking(next, isEmpty, always, found);
    return next + 1;
  }

  /** Returns the field named here, of some whose names have its length. */
  #fieldAt(from: number, fields: readonly NamedField[] | undefined): NamedField | undefined {
    return fields?.find(({ name }) => {
      for (let at = 0; at < name.length; at++) if (this.text[from + at] !== name[at]) return false;
      return true;
    });
  }

  /** Records the missing members of a struct at its closing brace. */
  #lacking(place: number, isEmpty: boolean, always: FullStruct['always'], found: readonly boolean[]): void {
    let lacking = '';
    for (let at = 0; at < always.length; at++) {
      if (!found[at]) lacking += `${isEmpty && lacking === '' ? '' : ','}${(always[at] as { text: string }).text}`;
    }
    if (lacking === '') return;
    this.#places.push(place);
    this.#texts.push(lacking);
    this.#length += lacking.length;
  }

  #value(at: number, node: FullNode): number {
    const opening = this.text[at];
    if (opening === OPEN_OBJECT && node.kind === 'struct') return this.#struct(at, node.struct, false);
    if (opening === OPEN_OBJECT && node.kind === 'values') return this.#values(at, node.of);
    if (opening === OPEN_LIST && node.kind === 'items') return this.#items(at, node.of);
    return this.#skip(at);
  }

  #items(at: number, node: FullNode): number {
    const { text } = this;
    let next = this.#space(at + 1);
    while (next < text.length && text[next] !== CLOSE_LIST) {
      next = this.#space(this.#value(next, node));
      if (text[next] === COMMA) next = this.#space(next + 1);
    }
    return next + 1;
  }

  #values(at: number, node: FullNode): number {
    const { text } = this;
    let next = this.#space(at + 1);
    while (text[next] === QUOTE) {
      const value = this.#space(this.#space(this.#stringEnd(next)) + 1);
      next = this.#space(this.#value(value, node));
      if (text[next] === COMMA) next = this.#space(next + 1);
    }
    return text[next] === CLOSE_OBJECT ? next + 1 : text.length;
  }

  /** Returns the offset behind a value, without reading it. */
  #skip(from: number): number {
    const { text } = this;
    let depth = 0;
    for (let at = from; at < text.length; at++) {
      const byte = text[at] as number;
      if (byte === QUOTE) {
        at = this.#stringEnd(at) - 1;
        if (depth === 0) return at + 1;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
      } else if (depth === 0 && (byte === COMMA || byte <= SPACE)) return at > from ? at : from + 1;
    }
    return text.length;
  }

  /** Returns the offset behind the string that begins at `at`. */
  #stringEnd(at: number): number {
    const { text } = this;
    const few = Math.min(text.length, at + FEW_BYTES);
    let quote = at + 1;
    while (quote < few && text[quote] !== QUOTE) quote++;
    if (quote === few) quote = text.indexOf(QUOTE, few);
    while (quote >= 0 && this.#isEscaped(quote)) quote = text.indexOf(QUOTE, quote + 1);
    return quote < 0 ? text.length : quote + 1;
  }

  #isEscaped(at: number): boolean {
    let before = at - 1;
    while (this.text[before] === BACKSLASH) before--;
    return (at - before) % 2 === 0;
  }

  #space(at: number): number {
    let next = at;
    while ((this.text[next] as number) <= SPACE) next++;
    return next;
  }
}
