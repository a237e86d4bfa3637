import { Slices } from '../decoding/turns.js';

const INDENT = 2;
/** Tokens after which others may have their turn. */
const TOKENS_A_STEP = 4096;
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
const SPACE = /\s/;

/**
 * Indents JSON as a text, so that numbers, escapes and the order of members stay what they are. A large text is indented in steps.
 * @param most bytes of indentation, which grow with the values of a text times its depth
 * @returns undefined where there would be more
 */
export async function indentJson(json: Buffer, most: number): Promise<Buffer | undefined> {
  // A character for each byte: what is taken apart are texts, and all that divides them is ASCII.
  const text = json.toString('latin1');
  const layout = new Layout(most);
  const slices = new Slices();
  for (let [at, tokens] = [0, 1]; at < text.length; tokens++) {
    at = layout.add(text, at);
    if (layout.isTooMuch) return undefined;
    if (tokens % TOKENS_A_STEP === 0) await slices.between();
  }
  return Buffer.from(layout.text(), 'latin1');
}

class Layout {
  readonly #parts: string[] = [];
  #depth = 0;
  #indentation = 0;

  constructor(private readonly most: number) {}

  get isTooMuch(): boolean {
    return this.#indentation > this.most;
  }

  text(): string {
    return this.#parts.join('');
  }

  /** Adds what stands at a place. @returns where the next token stands, or white space */
  add(text: string, at: number): number {
    const sign = text[at] ?? '';
    switch (sign) {
      case '{':
      case '[': {
        const inner = behindSpace(text, at + 1);
        if (text[inner] === CLOSING[sign]) return this.#put(`${sign}${CLOSING[sign]}`, inner + 1);
        this.#depth++;
        return this.#put(`${sign}${this.#newLine()}`, inner);
      }
      case '}':
      case ']':
        this.#depth--;
        return this.#put(`${this.#newLine()}${sign}`, at + 1);
      case ',':
        return this.#put(`,${this.#newLine()}`, at + 1);
      case ':':
        return this.#put(': ', at + 1);
      default: {
        if (SPACE.test(sign)) return at + 1;
        const end = sign === '"' ? endOfText(text, at) : endOfScalar(text, at);
        return this.#put(text.slice(at, end), end);
      }
    }
  }

  #put(part: string, next: number): number {
    this.#parts.push(part);
    return next;
  }

  #newLine(): string {
    const spaces = this.#depth * INDENT;
    this.#indentation += spaces;
    return `\n${' '.repeat(spaces)}`;
  }
}

function behindSpace(text: string, from: number): number {
  let at = from;
  while (SPACE.test(text[at] ?? '')) at++;
  return at;
}

/** Behind the quote that ends a text: one that an even number of backslashes stands before. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}

function endOfScalar(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !/[\s,\]}]/.test(text[at] ?? '')) at++;
  return at;
}
