import { CODES, NAMES } from './names.js';

/*
 * The text of `managedFields` as bytes, about one or two for each field: names of fields are numbers, and what every text has
 * alike takes nothing. It needs neither the object nor its schema, so that a row is put together as it comes from the database.
 *
 *   bytes    = form entry*
 *   entry    = flags [manager] apiVersion [time] [subresource] members
 *   members  = member* END
 *   member   = code [name] [members]           a literal name where the code has none; members where it is no leaf
 *
 * Codes and lengths are variable: 7 bits a byte, the low ones first. Texts are those of the JSON, as they stand between quotes.
 */

/** First byte; another number will mean another form. */
const FORM = 1;

const END = 0;
const LITERAL_LEAF = 1;
const LITERAL = 2;
/** Code of the first known name as a leaf; the next is the same name with members. */
const FIRST_NAME = 3;

const APPLY = 1;
const WITH_MANAGER = 2;
const WITH_TIME = 4;
const WITH_SUBRESOURCE = 8;

const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Texts that are written otherwise than the server writes them are not packed. */
class Otherwise extends Error {}

/** Packs one text. */
class Packer {
  readonly #out: number[] = [FORM];
  #at = 0;

  /** @param text bytes of the text, one a character */
  constructor(private readonly text: string) {}

  /** @throws Otherwise */
  pack(): Buffer {
    this.#expect('[');
    do this.#entry();
    while (this.#skip(','));
    this.#expect(']');
    if (this.#at !== this.text.length) throw new Otherwise();
    return Buffer.from(this.#out);
  }

  #entry(): void {
    const flagsAt = this.#out.length;
    let flags = 0;
    this.#out.push(flags);
    this.#expect('{');
    if (this.#skip('"manager":')) {
      flags |= WITH_MANAGER;
      this.#literal(this.#string());
      this.#expect(',');
    }
    this.#expect('"operation":');
    const operation = this.#string();
    if (operation === 'Apply') flags |= APPLY;
    else if (operation !== 'Update') throw new Otherwise();
    this.#expect(',"apiVersion":');
    this.#literal(this.#string());
    if (this.#skip(',"time":')) {
      flags |= WITH_TIME;
      this.#time(this.#string());
    }
    this.#expect(',"fieldsType":"FieldsV1","fieldsV1":{');
    this.#members();
    if (this.#skip(',"subresource":')) {
      flags |= WITH_SUBRESOURCE;
      this.#literal(this.#string());
    }
    this.#expect('}');
    this.#out[flagsAt] = flags;
  }

  /** What stands between an opening brace, which has been taken, and its end. */
  #members(): void {
    for (let depth = 1; depth > 0; ) {
      if (this.#skip('}')) {
        this.#out.push(END);
        depth--;
        if (depth > 0 && this.text[this.#at] !== '}') this.#expect(',');
        continue;
      }
      if (this.#member()) depth++;
      else if (this.text[this.#at] !== '}') this.#expect(',');
    }
  }

  /** @returns whether it has members, which come next */
  #member(): boolean {
    const name = this.#string();
    this.#expect(':{');
    const leaf = this.#skip('}');
    const known = CODES.get(name);
    if (known === undefined) {
      this.#number(leaf ? LITERAL_LEAF : LITERAL);
      this.#literal(name);
    } else this.#number(FIRST_NAME + 2 * known + (leaf ? 0 : 1));
    return !leaf;
  }

  #time(text: string): void {
    const seconds = SECONDS.test(text) ? Date.parse(text) / 1000 : Number.NaN;
    if (!(seconds >= 0 && seconds < 2 ** 32) || timeText(seconds) !== text) throw new Otherwise();
    this.#number(seconds);
  }

  #number(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#out.push((rest % 0x80) + 0x80);
    this.#out.push(rest);
  }

  #literal(text: string): void {
    this.#number(text.length);
    for (let i = 0; i < text.length; i++) this.#out.push(text.charCodeAt(i));
  }

  /** A string as it stands between its quotes. */
  #string(): string {
    this.#expect('"');
    const start = this.#at;
    let end = this.text.indexOf('"', start);
    while (end >= 0 && this.#isEscaped(end)) end = this.text.indexOf('"', end + 1);
    if (end < 0) throw new Otherwise();
    this.#at = end + 1;
    return this.text.slice(start, end);
  }

  #isEscaped(at: number): boolean {
    let before = at - 1;
    while (this.text[before] === '\\') before--;
    return (at - before) % 2 === 0;
  }

  #expect(part: string): void {
    if (!this.#skip(part)) throw new Otherwise();
  }

  #skip(part: string): boolean {
    if (!this.text.startsWith(part, this.#at)) return false;
    this.#at += part.length;
    return true;
  }
}

/** Unpacks what {@link Packer} has packed. */
class Unpacker {
  #at = 1;

  constructor(private readonly bytes: Buffer) {}

  /** The text, one character a byte. @throws RangeError for bytes that are none of its form */
  unpack(): string {
    if (this.bytes[0] !== FORM) throw new RangeError('the form of stored owners is not known');
    let text = '';
    while (this.#at < this.bytes.length) text += `${text === '' ? '[' : ','}${this.#entry()}`;
    if (text === '') throw new RangeError('stored owners are cut off');
    return `${text}]`;
  }

  #entry(): string {
    const flags = this.#byte();
    const manager = flags & WITH_MANAGER ? `"manager":"${this.#literal()}",` : '';
    const operation = flags & APPLY ? 'Apply' : 'Update';
    const apiVersion = this.#literal();
    const time = flags & WITH_TIME ? `,"time":"${timeText(this.#number())}"` : '';
    const head = `{${manager}"operation":"${operation}","apiVersion":"${apiVersion}"${time}`;
    const members = this.#members();
    const part = flags & WITH_SUBRESOURCE ? `,"subresource":"${this.#literal()}"` : '';
    return `${head},"fieldsType":"FieldsV1","fieldsV1":{${members}${part}}`;
  }

  #members(): string {
    let text = '';
    let first = true;
    for (let depth = 1; depth > 0; ) {
      const code = this.#number();
      if (code === END) {
        text += '}';
        depth--;
        first = false;
        continue;
      }
      if (!first) text += ',';
      const leaf = code < FIRST_NAME ? code === LITERAL_LEAF : (code - FIRST_NAME) % 2 === 0;
      const opening = code < FIRST_NAME ? `"${this.#literal()}":{` : openingOf((code - FIRST_NAME) >> 1);
      text += leaf ? `${opening}}` : opening;
      if (!leaf) depth++;
      first = !leaf;
    }
    return text;
  }

  #literal(): string {
    const length = this.#number();
    if (this.#at + length > this.bytes.length) throw new RangeError('stored owners are cut off');
    const text = this.bytes.toString('latin1', this.#at, this.#at + length);
    this.#at += length;
    return text;
  }

  #number(): number {
    let [value, unit] = [0, 1];
    for (;;) {
      const byte = this.#byte();
      value += (byte % 0x80) * unit;
      if (byte < 0x80) return value;
      unit *= 0x80;
      if (unit > 2 ** 35) throw new RangeError('stored owners hold a number that is none');
    }
  }

  #byte(): number {
    const byte = this.bytes[this.#at++];
    if (byte === undefined) throw new RangeError('stored owners are cut off');
    return byte;
  }
}

const OPENINGS = NAMES.map((name) => `"${name}":{`);

/** @throws RangeError for a name that only a later release knows */
function openingOf(name: number): string {
  const opening = OPENINGS[name];
  if (opening === undefined) throw new RangeError('stored owners hold a name that is not known');
  return opening;
}

const timeText = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/**
 * A text of `managedFields` in few bytes.
 * @param text UTF-8
 * @returns undefined for one that the server would write otherwise: it is not packed
 */
export function packOwners(text: Buffer): Buffer | undefined {
  try {
    const packed = new Packer(text.toString('latin1')).pack();
    return unpackOwners(packed).equals(text) ? packed : undefined;
  } catch (error) {
    if (error instanceof Otherwise || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The text that {@link packOwners} has packed, byte for byte. @throws RangeError for bytes that are none of its */
export const unpackOwners = (packed: Buffer): Buffer => Buffer.from(new Unpacker(packed).unpack(), 'latin1');
