import { atOnce, STEP, type Steps } from '../steps.js';
import { AGAIN, END, FIRST_NAME, LITERAL, LITERAL_LEAF, NAMED, NAMED_END, NAMED_LEAF, NAMED_OPENING } from './form.js';
import { CODES } from './names.js';
import { Otherwise, Scanner } from './scanner.js';

const QUOTE = 0x22;
const CLOSING = 0x7d;

/** Length of the key of a level up to which duplicates are looked for; longer ones rarely have any. */
const LONGEST = 4_000;

/** A level that is still open. */
interface Open {
  /** Start of the level in the bytes. */
  readonly start: number;
  /** Key so far: codes, names, and the numbers of the levels below. */
  key: string;
}

/** Members that are packed in one step. */
const AT_ONCE = 2_000;

/**
 * Packs the level of a text of `fieldsV1`, one character per byte.
 * @throws Otherwise
 */
export const packFields = (text: string): Buffer => atOnce(packInSteps(text));

/** Same as {@link packFields}. */
export const packInSteps = (text: string): Steps<Buffer> => new FieldsPacker(text).pack();

class FieldsPacker {
  readonly #in: Scanner;
  /** The output, which is never longer than the input. */
  readonly #out: Buffer;
  #at = 0;
  readonly #open: Open[] = [];
  readonly #levels = new Map<string, number>();
  #ended = 0;

  constructor(text: string) {
    this.#in = new Scanner(text);
    this.#out = Buffer.allocUnsafe(text.length + 8);
  }

  *pack(): Steps<Buffer> {
    this.#in.expect('{');
    this.#begin();
    for (let first = true, done = 1; this.#open.length > 0; done++) {
      if (done % AT_ONCE === 0) yield STEP;
      if (this.#next() === CLOSING) {
        this.#in.at++;
        this.#end();
        first = false;
        continue;
      }
      if (!first) this.#in.expect(',');
      first = this.#member();
    }
    this.#in.end();
    return Buffer.from(this.#out.subarray(0, this.#at));
  }

  #next(): number {
    return this.#in.text.charCodeAt(this.#in.at);
  }

  #begin(): void {
    this.#open.push({ start: this.#at, key: '' });
  }

  #end(): void {
    const level = this.#open.pop();
    if (level === undefined) throw new Otherwise();
    this.#extendKey(`.${this.#again(level) ?? this.#another(level)}`);
  }

  /** The number of an equal earlier level, which is written in its place; undefined when there is none. */
  #again({ start, key }: Open): number | undefined {
    const number = this.#levels.get(key);
    if (number === undefined) return undefined;
    this.#at = start;
    this.#number(AGAIN);
    this.#number(number);
    return number;
  }

  /** Assigns a number to a new level. */
  #another({ key }: Open): number {
    this.#number(END);
    const number = this.#ended++;
    if (key.length <= LONGEST) this.#levels.set(key, number);
    return number;
  }

  /** Adds to the key of the level. A level whose key is too long already is not looked up. */
  #extendKey(part: string): void {
    const level = this.#open.at(-1);
    if (level && level.key.length <= LONGEST) level.key += part;
  }

  /** @returns whether it has a level, which comes next */
  #member(): boolean {
    if (this.#next() !== QUOTE) throw new Otherwise();
    const name = this.#in.string();
    this.#in.expect(':{');
    const leaf = this.#next() === CLOSING;
    if (leaf) this.#in.at++;
    const known = CODES.get(name);
    if (known !== undefined) {
      const code = FIRST_NAME + 2 * known + (leaf ? 0 : 1);
      this.#number(code);
      this.#extendKey(`,${code}`);
    } else this.#literal(name, leaf);
    if (!leaf) this.#begin();
    return !leaf;
  }

  #literal(name: string, leaf: boolean): void {
    const named = name.startsWith(NAMED_OPENING) && name.endsWith(NAMED_END);
    if (named) this.#number(leaf ? NAMED_LEAF : NAMED);
    else this.#number(leaf ? LITERAL_LEAF : LITERAL);
    const text = named ? name.slice(NAMED_OPENING.length, -NAMED_END.length) : name;
    this.#number(text.length);
    this.#at += this.#out.write(text, this.#at, 'latin1');
    this.#extendKey(`${leaf ? '-' : '+'}${name.length}:${name}`);
  }

  #number(value: number): void {
    this.#at = writeNumber(this.#out, this.#at, value);
  }
}

/** @returns where it ends */
export function writeNumber(out: Buffer, at: number, value: number): number {
  let [rest, end] = [value, at];
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out[end++] = (rest % 0x80) + 0x80;
  out[end++] = rest;
  return end;
}
