import {
  AGAIN,
  APPLY,
  END,
  FIRST_NAME,
  FORM,
  FORMER,
  FORMER_FIRST_NAME,
  LITERAL_LEAF,
  NAMED,
  NAMED_END,
  NAMED_LEAF,
  NAMED_OPENING,
  WITH_MANAGER,
  WITH_SUBRESOURCE,
  WITH_TIME,
} from './form.js';
import { NAMES } from './names.js';
import { timeText } from './times.js';
import { LatelyUnpacked } from './unpacked-fields.js';

/** Limit of a text's characters; bytes that make more are damaged. */
const LONGEST = 128 << 20;

/** Restores the text that `packOwners` has packed, byte for byte. @throws RangeError for other bytes */
export const unpackOwners = (packed: Buffer): Buffer => Buffer.from(new Unpacker(packed).unpack(), 'latin1');

const lately = new LatelyUnpacked();

class Unpacker {
  #at = 1;
  readonly #firstName: number;

  constructor(private readonly bytes: Buffer) {
    this.#firstName = bytes[0] === FORMER ? FORMER_FIRST_NAME : FIRST_NAME;
  }

  /** Returns the text, one character per byte. @throws RangeError */
  unpack(): string {
    if (this.bytes[0] !== FORM && this.bytes[0] !== FORMER) {
      throw new RangeError('the form of stored owners is not known');
    }
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
    const fields = this.#known(`${this.#firstName} ${manager}${operation}${apiVersion}`);
    const part = flags & WITH_SUBRESOURCE ? `,"subresource":"${this.#literal()}"` : '';
    return `${head},"fieldsType":"FieldsV1","fieldsV1":${fields}${part}}`;
  }

  /** Returns cached fields of the writer, which need not be unpacked. */
  #known(writer: string): string {
    const start = this.#at;
    const known = lately.at(writer, this.bytes, start);
    if (known) {
      this.#at += known.packed.length;
      return known.text;
    }
    const text = this.#fields();
    lately.keep(writer, this.bytes.subarray(start, this.#at), text);
    return text;
  }

  #fields(): string {
    const levels: string[] = [];
    /** Prefixes of the levels that are open. */
    const open: string[] = [];
    let text = '{';
    for (;;) {
      const code = this.#number();
      const last = code === END || this.#isAgain(code, text);
      if (!last) {
        const name = `${text.length > 1 ? ',' : ''}${this.#name(code)}`;
        if (this.#isLeaf(code)) text += `${name}{}`;
        else {
          open.push(text + name);
          text = '{';
        }
        continue;
      }
      if (code === END) {
        text += '}';
        levels.push(text);
      } else text = this.#earlier(levels);
      const before = open.pop();
      if (before === undefined) return text;
      text = before + text;
      if (text.length > LONGEST) throw new RangeError('stored owners are longer than any text is');
    }
  }

  /** Only at the beginning of a level. */
  #isAgain(code: number, text: string): boolean {
    return code === AGAIN && this.#firstName > AGAIN && text === '{';
  }

  #earlier(levels: readonly string[]): string {
    const level = levels[this.#number()];
    if (level === undefined) throw new RangeError('stored owners refer to a level that there is not');
    return level;
  }

  #isLeaf(code: number): boolean {
    if (code >= this.#firstName) return (code - this.#firstName) % 2 === 0;
    return code === LITERAL_LEAF || code === NAMED_LEAF;
  }

  /** Its name and a colon. */
  #name(code: number): string {
    if (code >= this.#firstName) return openingOf((code - this.#firstName) >> 1);
    if (code === AGAIN) throw new RangeError('stored owners hold a level within another');
    const text = this.#literal();
    return code === NAMED || code === NAMED_LEAF ? `"${NAMED_OPENING}${text}${NAMED_END}":` : `"${text}":`;
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

const OPENINGS = NAMES.map((name) => `"${name}":`);

/** @throws RangeError for a name that only a later release knows */
function openingOf(name: number): string {
  const opening = OPENINGS[name];
  if (opening === undefined) throw new RangeError('stored owners hold a name that is not known');
  return opening;
}
