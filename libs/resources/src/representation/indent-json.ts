import { Slices } from '@orch/runtime/work';
import { endOfValue, skipSpace } from '../decoding/json-ranges.js';

const INDENT = 2;
/** Number of tokens after which other work may run. */
const TOKENS_A_STEP = 4096;
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * Indents JSON as a text, so that numbers, escapes and the order of members are preserved. A large text is indented in
 * steps.
 * @param most bytes of indentation, which grow with the values of a text times its depth
 * @returns undefined if there would be more
 */
export async function indentJson(json: Buffer, most: number): Promise<Buffer | undefined> {
  const layout = new Layout(json, most);
  const slices = new Slices();
  for (let [at, tokens] = [skipSpace(json, 0), 1]; at < json.length; tokens++) {
    at = skipSpace(json, layout.add(at));
    if (layout.isTooMuch) return undefined;
    if (tokens % TOKENS_A_STEP === 0) await slices.between();
  }
  return Buffer.from(layout.text(), 'latin1');
}

class Layout {
  readonly #parts: string[] = [];
  #depth = 0;
  #indentation = 0;

  constructor(
    private readonly json: Buffer,
    private readonly most: number,
  ) {}

  get isTooMuch(): boolean {
    return this.#indentation > this.most;
  }

  text(): string {
    return this.#parts.join('');
  }

  /** Adds the token at a position. @returns position of the next token, or of white space */
  add(at: number): number {
    const sign = this.#signAt(at);
    switch (sign) {
      case '{':
      case '[': {
        const inner = skipSpace(this.json, at + 1);
        if (this.#signAt(inner) === CLOSING[sign]) return this.#put(`${sign}${CLOSING[sign]}`, inner + 1);
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
        const end = endOfValue(this.json, at) ?? this.json.length;
        return this.#put(this.json.toString('latin1', at, end), end);
      }
    }
  }

  /** Returns the character of the byte at a position: only texts contain others than ASCII, and no delimiter does. */
  #signAt(at: number): string {
    return String.fromCharCode(this.json[at] ?? 0);
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
